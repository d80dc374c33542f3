import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "#adapters/postgres/connection.ts";
import { keyedName, openKeyLedger } from "#adapters/postgres/key-ledger.ts";
import { API_ROLE } from "#adapters/postgres/roles.ts";
import { connectionName } from "#adapters/postgres/schema-ledger.ts";
import { PostgresKeyring } from "#adapters/postgres/stores/keyring.ts";
import { checkOf, type FileKey, newKey } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import type { KeyringQuery } from "#ports/keyring.ts";
import type { Sealed } from "#ports/secrets.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

const key = newKey();
const sealer = new FileSealer("/nonexistent/secrets.key", [key]);
const mark = (of: FileKey) => ({ id: of.id, check: checkOf(of) });
let database: PostgresFixture;

beforeAll(async () => {
  database = await openPostgres();
  const ledger = await openKeyLedger(database.url);
  await ledger.bind([mark(key)]);
  await ledger.release();
});
afterAll(() => database.close());

const SEALED = "wrapped, box, key_id";
const parts = ({ wrapped, box, keyId }: Sealed) => [wrapped, box, keyId];

async function variable(
  owner: string,
  name: string,
  value: string,
  rest: { workspace?: string; isSecret?: boolean; repositories?: string[] } = {},
): Promise<string> {
  const id = randomUUID();
  const sealed = await sealer.seal(key.id, { owner, scope: rest.workspace ?? "user", name, id }, value);
  if (sealed === null) throw new Error("the key is there");
  await database.admin.query(
    `INSERT INTO variables (id, user_id, workspace_id, name, is_secret, repositories, bytes, ${SEALED}) VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9)`,
    [id, owner, rest.workspace ?? null, name, rest.isSecret ?? true, rest.repositories ?? null, ...parts(sealed)],
  );
  return id;
}

async function credential(owner: string, kind: "ssh" | "https", host: string, value: string): Promise<void> {
  const id = randomUUID();
  const sealed = await sealer.seal(key.id, { owner, scope: kind, name: host, id }, value);
  if (sealed === null) throw new Error("the key is there");
  const [username, publicKey] = kind === "ssh" ? [null, "ssh-ed25519 AAAA"] : ["ada", null];
  await database.admin.query(
    `INSERT INTO credentials (id, user_id, kind, host, username, public_key, ${SEALED}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, owner, kind, host, username, publicKey, ...parts(sealed)],
  );
}

async function workspace(owner: string): Promise<string> {
  const id = randomUUID();
  await database.admin.query(
    "INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state) VALUES ($1, $2, 'one', 'image', 'STANDBY')",
    [id, owner],
  );
  return id;
}

const open = (ownerId: string, workspaceId: string, rest: Partial<KeyringQuery> = {}, with_ = sealer) =>
  new PostgresKeyring(database.coordinator, with_).open({
    ownerId,
    workspaceId,
    repository: null,
    withKeys: true,
    ...rest,
  });

describe("a keyring", () => {
  test("of somebody who kept nothing is empty", async () => {
    expect(await open(await database.owner(), randomUUID())).toEqual({
      git: { name: null, email: null },
      sshKey: null,
      credentials: [],
      variables: [],
      dotfiles: null,
      locked: [],
    });
  });

  test("has what its owner keeps and this workspace may have; the workspace's own wins", async () => {
    const [ada, eve] = [await database.owner(), await database.owner()];
    const [mine, other] = [await workspace(ada), await workspace(ada)];
    await variable(ada, "PLAIN", "everywhere", { isSecret: false });
    await variable(ada, "TOKEN", "of ada");
    await variable(ada, "TOKEN", "of mine", { workspace: mine });
    await variable(ada, "THEIRS", "of other", { workspace: other });
    await variable(ada, "BOUND", "for o/r", { repositories: ["git.example.com/o/r"] });
    await variable(eve, "EVIL", "of eve");
    await credential(ada, "ssh", "", "PRIVATE");
    await credential(ada, "https", "git.example.com:8443", "pass");
    await database.admin.query(
      "INSERT INTO user_settings (user_id, git_name, git_email, dotfiles_address, dotfiles_command) VALUES ($1, 'Ada', 'ada@example.com', 'https://git.example.com/ada/dotfiles', './install')",
      [ada],
    );

    expect(await open(ada, mine)).toEqual({
      git: { name: "Ada", email: "ada@example.com" },
      sshKey: { privateKey: "PRIVATE", publicKey: "ssh-ed25519 AAAA" },
      credentials: [{ host: "git.example.com:8443", username: "ada", password: "pass" }],
      variables: [
        { name: "PLAIN", value: "everywhere" },
        { name: "TOKEN", value: "of mine" },
      ],
      dotfiles: { address: "https://git.example.com/ada/dotfiles", command: "./install" },
      locked: [],
    });
    const bound = await open(ada, mine, { repository: "git.example.com/o/r" });
    expect(bound.variables).toContainEqual({ name: "BOUND", value: "for o/r" });
    const foreign = await open(ada, mine, { repository: "git.example.com/o/r2" });
    expect(foreign.variables.map(({ name }) => name)).toEqual(["PLAIN", "TOKEN"]);
    expect(await open(ada, mine, { withKeys: false, repository: "git.example.com/o/r" })).toEqual({
      git: { name: "Ada", email: "ada@example.com" },
      sshKey: null,
      credentials: [],
      variables: [{ name: "PLAIN", value: "everywhere" }],
      dotfiles: null,
      locked: [],
    });
    const without = await open(ada, mine, {}, new FileSealer("/nonexistent/secrets.key", [newKey()]));
    expect(without).toMatchObject({ sshKey: null, credentials: [], variables: [] });
    expect(without.locked).toEqual(["PLAIN", "TOKEN", "git.example.com:8443", "SSH key"]);
  });

  test("does not open a row that was moved", async () => {
    const [ada, eve] = [await database.owner(), await database.owner()];
    const mine = await workspace(ada);
    const id = await variable(ada, "TOKEN", "swordfish");
    const moves = [
      ["user_id", eve],
      ["name", "OTHER"],
      ["workspace_id", mine],
      ["id", randomUUID()],
    ] as const;
    for (const [column, value] of moves) {
      await database.admin.query("BEGIN");
      await database.admin.query(`UPDATE variables SET ${column} = $2 WHERE id = $1`, [id, value]);
      await database.admin.query("COMMIT");
      const seen = await open(column === "user_id" ? eve : ada, mine);
      expect(seen.variables, column).toEqual([]);
      expect(seen.locked, column).toEqual([column === "name" ? "OTHER" : "TOKEN"]);
      const back = { user_id: ada, name: "TOKEN", workspace_id: null, id }[column];
      await database.admin.query(`UPDATE variables SET ${column} = $2 WHERE id = $1`, [
        column === "id" ? value : id,
        back,
      ]);
    }
    expect((await open(ada, mine)).variables).toEqual([{ name: "TOKEN", value: "swordfish" }]);
  });

  test("cannot be written by who opens it", async () => {
    for (const table of ["variables", "credentials", "user_settings", "secret_keys"]) {
      await expect(database.coordinator.query(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: "42501" });
      await expect(database.coordinator.query(`SELECT FROM ${table}`)).resolves.toBeDefined();
    }
  });
});

describe("the keys of a deployment", () => {
  const bind = async (url: string, file: readonly FileKey[]) => {
    const ledger = await openKeyLedger(url);
    const verdict = await ledger.bind(file.map(mark));
    await ledger.release();
    return verdict;
  };

  test("are those of whoever runs; alone, another one may begin, and nothing is lost of what is known", async () => {
    const own = await openPostgres();
    const [a, b] = [newKey(), newKey()];
    expect(await bind(own.url, [a])).toMatchObject({ kind: "usable", seals: a.id });
    const applicationName = connectionName(keyedName("api", a.id), 12);
    const running = await openPool({ url: own.url, role: API_ROLE, min: 1, max: 2, applicationName });
    expect(await bind(own.url, [b])).toEqual({ kind: "refused", id: a.id, why: "missing" });
    expect(await bind(own.url, [])).toEqual({ kind: "refused", id: a.id, why: "missing" });
    expect(await bind(own.url, [{ ...b, id: a.id }])).toEqual({ kind: "refused", id: a.id, why: "different" });
    expect(await bind(own.url, [b, a])).toMatchObject({ kind: "usable", seals: a.id });
    await running.end();
    await expect.poll(() => bind(own.url, [b]).then((verdict) => verdict.kind)).toBe("usable");
    const rows = await own.admin.query("SELECT id, state FROM secret_keys ORDER BY state");
    expect(rows.rows).toEqual([
      { id: a.id, state: "opening" },
      { id: b.id, state: "sealing" },
    ]);
    await own.close();
  });

  test("of two that start at once with files of their own the second waits, and is refused", async () => {
    const own = await openPostgres();
    const [a, b] = [newKey(), newKey()];
    const first = await openKeyLedger(own.url);
    const second = openKeyLedger(own.url);
    await first.bind([mark(a)]);
    const applicationName = connectionName(keyedName("api", a.id), 12);
    const running = await openPool({ url: own.url, role: API_ROLE, min: 1, max: 2, applicationName });
    await first.release();
    const ledger = await second;
    expect(await ledger.bind([mark(b)])).toMatchObject({ kind: "refused" });
    await ledger.release();
    await running.end();
    await own.close();
  });
});

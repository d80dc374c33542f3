import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "#adapters/postgres/connection.ts";
import { keyedName } from "#adapters/postgres/key-ledger.ts";
import { API_ROLE } from "#adapters/postgres/roles.ts";
import { connectionName } from "#adapters/postgres/schema-ledger.ts";
import { PostgresKeyring } from "#adapters/postgres/stores/keyring.ts";
import { PostgresUserKeyStore } from "#adapters/postgres/stores/user-key-store.ts";
import { readKeyFile } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import { newSshKey } from "#adapters/secrets/ssh-key.ts";
import { systemIds } from "#adapters/system/clock.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { openPostgres, type PostgresFixture } from "../postgres/postgres-fixture.ts";
import { codehub } from "./codehub.ts";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");
const ROWS = 3_000;
const system = { kind: "system", userId: null, address: null } as const;

describe("codehub secrets rotate", () => {
  let database: PostgresFixture;
  let folder: string;
  let file: string;
  let owner: string;
  let place: Record<string, string>;
  let sealer: FileSealer;
  let store: PostgresUserKeyStore;

  beforeAll(async () => {
    database = await openPostgres();
    folder = await mkdtemp(join(tmpdir(), "codehub-rotate-"));
    file = join(folder, "secrets.key");
    place = { DATABASE_URL: database.url, DATA_DIR: folder, SECRETS_KEY_FILE: file };
    owner = await database.owner();
    sealer = new FileSealer(file, []);
    store = new PostgresUserKeyStore(database.api, sealer, systemIds);
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  const ids = async (): Promise<string[]> => ((await readKeyFile(file)) ?? []).map(({ id }) => id);
  const known = async (): Promise<string[]> =>
    (await database.admin.query("SELECT id || ' ' || state AS key FROM secret_keys ORDER BY 1")).rows.map((r) => r.key);
  const rotate = () => codehub(place, "secrets", "rotate");
  /** What a server that has run all along can open. */
  const opened = () =>
    new PostgresKeyring(database.coordinator, sealer).open({
      ownerId: owner,
      workspaceId: randomUUID(),
      repository: null,
      withKeys: true,
    });

  test("makes the first key where there is none; the next takes its place beside a server that runs", async () => {
    const variable = { name: "TOKEN", value: "swordfish", isSecret: true, repositories: null };
    const scope = { userId: owner, workspaceId: null };
    expect(await store.saveVariable(scope, variable, system)).toBe("no_key");
    expect(await rotate()).toMatchObject({ code: EXIT.inOrder });
    const first = await ids();
    expect(first).toHaveLength(1);
    expect(await known()).toEqual([`${first[0]} sealing`]);
    expect(await store.saveVariable(scope, variable, system)).toMatchObject({ name: "TOKEN" });
    expect(await store.saveSshKey(owner, newSshKey("x"), system)).toHaveProperty("publicKey");

    const done = await rotate();
    expect(done).toMatchObject({ code: EXIT.inOrder, said: expect.stringContaining("2 values were given it") });
    const second = await ids();
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
    expect(await known()).toEqual([`${second[0]} sealing`]);
    expect(await opened()).toMatchObject({ variables: [{ name: "TOKEN", value: "swordfish" }], locked: [] });
    expect(await store.saveVariable(scope, { ...variable, value: "new" }, system)).toMatchObject({ name: "TOKEN" });
    expect((await opened()).variables).toEqual([{ name: "TOKEN", value: "new" }]);
    expect(done.said + done.complained).not.toContain((await readFile(file, "utf8")).split(" ")[1]?.trim());
  });

  test("killed in the middle, everything opens; run again it finishes", async () => {
    const [from = ""] = await ids();
    const rows = await Promise.all(
      Array.from({ length: ROWS }, async (_, index) => {
        const [id, name] = [randomUUID(), `V${index}`];
        const sealed = await sealer.seal(from, { owner, scope: "user", name, id }, `value ${index}`);
        return { id, name, wrapped: sealed?.wrapped, box: sealed?.box };
      }),
    );
    await database.admin.query(
      `INSERT INTO variables (id, user_id, name, is_secret, bytes, wrapped, box, key_id)
       SELECT id, $1, name, true, 0, wrapped, box, $2 FROM unnest($3::uuid[], $4::text[], $5::bytea[], $6::bytea[]) AS t (id, name, wrapped, box)`,
      [owner, from, rows.map((r) => r.id), rows.map((r) => r.name), rows.map((r) => r.wrapped), rows.map((r) => r.box)],
    );
    const child = spawn(process.execPath, [MAIN, "secrets", "rotate"], {
      env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...place },
      stdio: "ignore",
    });
    const ended = new Promise((done) => child.once("exit", done));
    const moved = async (): Promise<number> =>
      (await database.admin.query("SELECT count(*)::integer AS n FROM variables WHERE key_id <> $1", [from])).rows[0]
        ?.n;
    while ((await moved()) === 0 && child.exitCode === null);
    child.kill("SIGKILL");
    await ended;
    const half = await moved();
    expect(half, "it was killed in the middle").toBeGreaterThan(0);
    expect(half).toBeLessThan(ROWS);
    expect(await ids()).toHaveLength(2);
    expect(await opened()).toMatchObject({ locked: [] });
    expect((await opened()).variables).toHaveLength(ROWS + 1);

    expect(await rotate()).toMatchObject({ code: EXIT.inOrder });
    const [to, ...others] = await ids();
    expect(others).toEqual([]);
    expect(await known()).toEqual([`${to} sealing`]);
    expect(to).not.toBe(from);
    const fresh = new FileSealer(file, []);
    const all = await new PostgresKeyring(database.coordinator, fresh).open({
      ownerId: owner,
      workspaceId: randomUUID(),
      repository: null,
      withKeys: true,
    });
    expect(all.locked).toEqual([]);
    expect(all.variables).toContainEqual({ name: "V2999", value: "value 2999" });
  });

  test("a file that is not the servers' is refused while they run; what a lost key sealed stays, and can be entered again", async () => {
    const [id = ""] = await ids();
    const before = await readFile(file, "utf8");
    const applicationName = connectionName(keyedName("api", id), 12);
    const running = await openPool({ url: database.url, role: API_ROLE, min: 1, max: 2, applicationName });
    await rm(file);
    expect(await rotate()).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining(`the key ${id}`) });
    expect(await readKeyFile(file), "nothing was made").toBeNull();
    await running.end();
    await database.admin.query("DELETE FROM variables WHERE name ~ '^V[0-9]'");

    expect(await rotate()).toMatchObject({ code: EXIT.inOrder, said: expect.stringContaining("2 values do not open") });
    const lost = new PostgresKeyring(database.coordinator, new FileSealer(file, []));
    const whose = { ownerId: owner, workspaceId: randomUUID(), repository: null, withKeys: true };
    expect(await lost.open(whose)).toMatchObject({ sshKey: null, variables: [], locked: ["TOKEN", "SSH key"] });
    const again = new PostgresUserKeyStore(database.api, new FileSealer(file, []), systemIds);
    const variable = { name: "TOKEN", value: "again", isSecret: true, repositories: null };
    await again.saveVariable({ userId: owner, workspaceId: null }, variable, system);
    expect(await lost.open(whose)).toMatchObject({ variables: [{ value: "again" }], locked: ["SSH key"] });

    await writeFile(file, (await readFile(file, "utf8")) + before);
    expect(await rotate()).toMatchObject({ code: EXIT.inOrder });
    expect(await new PostgresKeyring(database.coordinator, new FileSealer(file, [])).open(whose)).toMatchObject({
      sshKey: { publicKey: expect.stringContaining("ssh-ed25519") },
      locked: [],
    });
    expect(await ids()).toHaveLength(1);
  });
});

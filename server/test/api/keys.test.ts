import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPool } from "#adapters/postgres/connection.ts";
import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresKeyring } from "#adapters/postgres/stores/keyring.ts";
import { newKey } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { openStream } from "./event-stream.ts";
import { browserFetch, refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

const key = newKey();
let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let root: TestUser;
let keyring: PostgresKeyring;
let pool: ReturnType<typeof createPool>;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, key });
  [ada, root] = [await api.user("ada"), await api.user("root", "admin")];
  pool = createPool({ url: database.url, role: COORDINATOR_ROLE, max: 2, applicationName: "test keyring" });
  keyring = new PostgresKeyring(pool, new FileSealer("/nonexistent/secrets.key", [key]));
});
afterAll(async () => {
  await pool.end();
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const open = (ownerId: string, workspaceId: string = randomUUID(), repository: string | null = null) =>
  keyring.open({ ownerId, workspaceId, repository, withKeys: true });
const workspaceOf = async (user: TestUser): Promise<string> =>
  (await user.client.createWorkspace({ body: { name: "one", desired_state: "ARCHIVED" } })).id;

describe("what a person keeps", () => {
  it("is told by name and date, and given to workspaces by value", async () => {
    const settings = {
      git_name: "Ada Lovelace",
      git_email: "ada@example.com",
      dotfiles_address: "https://git.example.com/ada/dotfiles",
      dotfiles_command: "./install.sh --quiet",
    };
    expect(await ada.client.putKeySettings({ body: settings })).toEqual(settings);
    const sshKey = await ada.client.makeSshKey();
    expect(sshKey.public_key).toMatch(/^ssh-ed25519 AAAA[\w+/]+=* ada@localhost$/);
    const credential = await ada.client.putCredential({
      body: { host: "git.example.com:8443", username: "ada", password: "first" },
    });
    await ada.client.putCredential({ body: { host: "git.example.com:8443", username: "ada", password: "second" } });
    await ada.client.putVariable({ body: { name: "NPM_TOKEN", value: "old", is_secret: true } });
    const body = {
      name: "NPM_TOKEN",
      value: "new",
      is_secret: true,
      repositories: ["https://git.example.com/o/r.git"],
    };
    expect(await ada.client.putVariable({ body })).toMatchObject({
      repositories: ["git.example.com/o/r"],
      size_bytes: 3,
    });

    const kept = await ada.client.getKeys();
    expect(kept).toMatchObject({
      settings,
      ssh_key: sshKey,
      credentials: [{ host: "git.example.com:8443", username: "ada" }],
      variables: [{ name: "NPM_TOKEN", is_secret: true, repositories: ["git.example.com/o/r"] }],
    });
    expect(await root.client.getUserKeys({ params: { id: ada.id } })).toEqual(kept);
    expect(await refusal(ada.client.getUserKeys({ params: { id: root.id } }))).toBe("FORBIDDEN");
    expect(await open(ada.id, randomUUID(), "git.example.com/o/r")).toMatchObject({
      git: { name: "Ada Lovelace", email: "ada@example.com" },
      sshKey: { publicKey: sshKey.public_key },
      credentials: [{ host: "git.example.com:8443", username: "ada", password: "second" }],
      variables: [{ name: "NPM_TOKEN", value: "new" }],
      dotfiles: { address: "https://git.example.com/ada/dotfiles", command: "./install.sh --quiet" },
      locked: [],
    });

    const renewed = await ada.client.makeSshKey();
    expect(renewed.public_key).not.toBe(sshKey.public_key);
    await ada.client.deleteSshKey();
    expect(await refusal(ada.client.deleteSshKey())).toBe("NOT_FOUND");
    expect(await refusal(ada.client.deleteCredential({ params: { id: credential.id } })), "replaced").toBe("NOT_FOUND");
    for (const { id } of kept.credentials) await ada.client.deleteCredential({ params: { id } });
    for (const { id } of kept.variables) await ada.client.deleteVariable({ params: { id } });
    expect(await open(ada.id)).toMatchObject({ sshKey: null, credentials: [], variables: [] });
  });

  it("of a workspace is its owner's alone, and does not reach another workspace", async () => {
    const [mine, other] = [await workspaceOf(ada), await workspaceOf(ada)];
    const made = await ada.client.putWorkspaceVariable({
      params: { id: mine },
      body: { name: "STAGE", value: "test", is_secret: false },
    });
    expect(await ada.client.listWorkspaceVariables({ params: { id: mine } })).toEqual({ items: [made] });
    expect((await open(ada.id, mine)).variables).toEqual([{ name: "STAGE", value: "test" }]);
    expect((await open(ada.id, other)).variables).toEqual([]);
    expect(await refusal(root.client.listWorkspaceVariables({ params: { id: mine } }))).toBe("FORBIDDEN");
    const eve = await api.user("eve");
    expect(await refusal(eve.client.listWorkspaceVariables({ params: { id: mine } }))).toBe("NOT_FOUND");
    expect(await refusal(eve.client.deleteVariable({ params: { id: made.id } }))).toBe("NOT_FOUND");
    expect(await refusal(ada.client.deleteVariable({ params: { id: made.id } })), "not the user's own").toBe(
      "NOT_FOUND",
    );
    expect(await refusal(ada.client.deleteWorkspaceVariable({ params: { id: other, variable_id: made.id } }))).toBe(
      "NOT_FOUND",
    );
    await ada.client.deleteWorkspaceVariable({ params: { id: mine, variable_id: made.id } });
    await ada.client.putWorkspaceVariable({ params: { id: mine }, body: { name: "X", value: "y", is_secret: true } });
    await ada.client.deleteWorkspace({ params: { id: mine } });
    const body = { name: "STAGE", value: "test", is_secret: false };
    expect(await refusal(ada.client.putWorkspaceVariable({ params: { id: mine }, body }))).toBe("WORKSPACE_DELETED");
    expect(await api.deps.userKeys.sweep(), "what is in the trash may come back").toBe(0);
    await api.sql.query("UPDATE workspaces SET expired_at = now() WHERE id = $1", [mine]);
    expect(await api.deps.userKeys.sweep()).toBe(1);
  });

  it.each([
    [{ name: "PATH", value: "/tmp", is_secret: false }, "workspaces themselves need"],
    [{ name: "CODEHUB_X", value: "", is_secret: true }, "workspaces themselves need"],
    [{ name: "1X", value: "", is_secret: true }, "name"],
    [{ name: "X", value: "ü".repeat(24_577), is_secret: true }, "at most 48 KB"],
    [{ name: "X", value: "a\0b", is_secret: true }, "value"],
    [{ name: "X", value: "", is_secret: true, repositories: [] }, "repositories"],
  ])("is refused where it cannot be: %#", async (body, words) => {
    await expect(ada.client.putVariable({ body })).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      message: expect.stringContaining(words),
    });
  });

  it.each([
    "https://git.example.com",
    "Git.example.com",
    "git.example.com/x",
    "git.example.com:",
    "a b",
    "git@x",
    "-x.org",
    "",
  ])("a credential is for a host and not for %s", async (host) => {
    const body = { host, username: "ada", password: "p" };
    expect(await refusal(ada.client.putCredential({ body }))).toBe("VALIDATION_FAILED");
  });

  it.each([
    "http://git.example.com/x",
    "https://ada:token@git.example.com/x",
    "file:///etc",
    "/srv/x",
    "ext::sh -c x",
    "--upload-pack=x",
    "ssh://-oProxyCommand=x/y",
    "git@-x:y",
    "https://git.example.com/a b",
  ])("dotfiles are not at %s", async (address) => {
    const body = { git_name: null, git_email: null, dotfiles_address: address, dotfiles_command: null };
    expect(await refusal(ada.client.putKeySettings({ body }))).toBe("REPOSITORY_REFUSED");
  });

  it("a secret is not bound to what is no repository, nor a command to no dotfiles", async () => {
    const body = { name: "X", value: "", is_secret: true, repositories: ["file:///etc"] };
    expect(await refusal(ada.client.putVariable({ body }))).toBe("REPOSITORY_REFUSED");
    const settings = { git_name: null, git_email: null, dotfiles_address: null, dotfiles_command: "./x" };
    expect(await refusal(ada.client.putKeySettings({ body: settings }))).toBe("VALIDATION_FAILED");
  });

  it("is bounded in number and size", async () => {
    const max = await api.user("max");
    const put = (name: string, value: string) => max.client.putVariable({ body: { name, value, is_secret: true } });
    for (let index = 0; index < 21; index += 1) await put(`BIG_${index}`, "x".repeat(48 * 1024));
    expect(await refusal(put("ONE_MORE", "x".repeat(48 * 1024)))).toBe("KEPT_TOO_LARGE");
    await put("BIG_0", "small now");
    await put("ONE_MORE", "x".repeat(10_000));
    for (let index = 22; index < 100; index += 1) await put(`SMALL_${index}`, "x");
    expect(await refusal(put("TOO_MANY", "x"))).toBe("KEPT_TOO_MANY");
    await put("SMALL_22", "replaced");
    expect((await max.client.getKeys()).variables).toHaveLength(100);
  });

  it("goes when the account is disabled, and nothing comes after that", async () => {
    const bob = await api.user("bob");
    const workspace = await workspaceOf(bob);
    await bob.client.makeSshKey();
    await bob.client.putVariable({ body: { name: "A", value: "x", is_secret: false } });
    await bob.client.putWorkspaceVariable({
      params: { id: workspace },
      body: { name: "B", value: "x", is_secret: true },
    });
    await root.client.updateUser({ params: { id: bob.id }, body: { disabled: true } });
    expect(await open(bob.id, workspace)).toMatchObject({ sshKey: null, variables: [], locked: [] });
    const { items } = await root.client.listAudit({ query: { limit: 10 } });
    expect(items[0]?.summary).toBe("bob's keys, credentials, variables and secrets were deleted");
    const late = api.deps.userKeys.saveSshKey(bob.id, api.deps.newSshKey("late"), {
      kind: "user",
      userId: bob.id,
      address: null,
    });
    expect(await late).toBe("disabled");
  });

  it("is not saved where the key that seals is not here, and says so", async () => {
    await using strange = await startApi({ databaseUrl: database.url, key: newKey(), listens: false });
    const zoe = await strange.user("zoe");
    for (const call of [
      () => zoe.client.makeSshKey(),
      () => zoe.client.putVariable({ body: { name: "A", value: "x", is_secret: true } }),
      () => zoe.client.putCredential({ body: { host: "git.example.com", username: "z", password: "p" } }),
    ])
      expect(await refusal(call())).toBe("SECRETS_KEY_MISSING");
  });
});

/** Every row of every table as PostgreSQL writes it: what a dump would hold. */
async function wholeDatabase(): Promise<string> {
  const tables = await api.sql.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const texts = await Promise.all(
    tables.rows.map(async ({ name }) => (await api.sql.query(`SELECT t::text AS row FROM ${name} t`)).rows),
  );
  return texts.flatMap((rows) => rows.map(({ row }) => row)).join("\n");
}

describe("canaries", () => {
  it("are in no answer, log line, event, history or database dump", async () => {
    const cat = await api.user("cat");
    const id = await workspaceOf(cat);
    const outputs: string[] = [];
    const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
      const answer = await browserFetch(api.origin, { cookie: cat.cookie })(`${api.url}/api/v1${path}`, {
        method,
        ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });
      outputs.push(JSON.stringify([...answer.headers]), await answer.clone().text());
      return answer;
    };
    const stream = openStream(api, { cookie: cat.cookie });
    await stream.until(() => stream.events.length > 0);
    const host = "git.example.com";
    await call("PUT", "/auth/keys/credentials", { host, username: "cat", password: "CANARY-token" });
    await call("PUT", "/auth/keys/credentials", { host: "CANARY wrong", username: "cat", password: "CANARY-refused" });
    await call("PUT", "/auth/keys/credentials", { host, username: "cat", password: ["CANARY-array"] });
    await call("PUT", "/auth/keys/variables", { name: "S", value: "CANARY-secret", is_secret: true });
    await call("PUT", "/auth/keys/variables", { name: "PATH", value: "CANARY-path", is_secret: true });
    await call("PUT", "/auth/keys/variables", { name: "S", value: `CANARY${"x".repeat(60_000)}`, is_secret: true });
    await call("PUT", `/workspaces/${id}/variables`, { name: "W", value: "CANARY-plain", is_secret: false });
    await call("PUT", `/workspaces/${id}/variables`, { name: "W", value: { CANARY: 1 }, is_secret: false });
    await call("POST", "/auth/keys/ssh", {});
    for (const path of ["/auth/keys", `/workspaces/${id}`, `/workspaces/${id}/variables`, `/workspaces/${id}/history`])
      expect((await call("GET", path)).status).toBe(200);
    outputs.push(JSON.stringify(await root.client.getUserKeys({ params: { id: cat.id } })));
    outputs.push(JSON.stringify(await root.client.listAudit({ query: { limit: 500 } })));
    outputs.push(await wholeDatabase(), stream.text(), ...api.logs);
    stream.close();

    const { sshKey, variables, credentials } = await open(cat.id, id);
    expect(variables.map(({ value }) => value)).toEqual(["CANARY-secret", "CANARY-plain"]);
    expect(credentials[0]?.password).toBe("CANARY-token");
    const everything = outputs.join("\n");
    expect(everything).toContain("credential_saved");
    expect(everything).toContain("ssh-ed25519 AAAA");
    expect(everything.match(/.{0,60}(CANARY|PRIVATE KEY).{0,40}/g) ?? []).toEqual([]);
    for (const line of sshKey?.privateKey.split("\n").slice(1, -2) ?? []) expect(everything).not.toContain(line);
    for (const form of ["hex", "base64"] as const)
      expect(everything).not.toContain(Buffer.from("CANARY-secret").toString(form));
  });
});

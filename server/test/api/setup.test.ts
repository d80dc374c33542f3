import { createHash, randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDevcontainer } from "#core/setup/devcontainer.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

/** Of the container that runs, whichever that is. */
let containerLog: readonly string[] = [];
let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let bob: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({
    databaseUrl: database.url,
    overrides: { logs: async (_, lines) => containerLog.slice(-lines).join("\n") },
  });
  ada = await api.user("ada");
  bob = await api.user("bob");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const ADDRESS = "https://github.com/team/app/tree/main";

describe("a workspace with a repository", () => {
  it("is created waiting for it, and shows what was read from the address", async () => {
    const body = { name: "app", desired_state: "STANDBY", repository: ADDRESS, keys_allowed: false } as const;
    const made = await ada.client.createWorkspace({ body });
    expect(made.repository).toMatchObject({ address: ADDRESS, host: "github.com", key: "github.com/team/app" });
    expect(made).toMatchObject({ keys_allowed: false, setup: { state: "waiting", folder: null, failure: null } });
    expect(await ada.client.getSetupLog({ params: { id: made.id } })).toEqual({ log: "", version: 0 });
  });

  it("is not created from an address that is refused", async () => {
    const before = (await ada.client.listWorkspaces({ query: {} })).total;
    const body = { name: "no", repository: "file:///etc/passwd" };
    expect(await refusal(ada.client.createWorkspace({ body }))).toBe("REPOSITORY_REFUSED");
    expect((await ada.client.listWorkspaces({ query: {} })).total).toBe(before);
  });

  it("is offered to its owner, and to nobody else, before a second copy is made", async () => {
    const open = async (user: TestUser) =>
      (await user.client.inspectRepository({ body: { address: "git@github.com:team/app.git" } })).already_open;
    expect(await open(ada)).toMatchObject([{ name: "app" }]);
    expect(await open(bob)).toEqual([]);
  });
});

describe("the set-up of a project", () => {
  const TEXT = JSON.stringify({
    ...{ postCreateCommand: "npm ci", forwardPorts: [3000], mounts: [], waitFor: "postCreateCommand" },
    customizations: { vscode: { extensions: ["team.tool"], settings: { "editor.tabSize": 3 } } },
  });
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const largest = { cpus: 2, memoryBytes: 2 ** 31, storageBytes: 2 ** 33 };

  /** As the coordinator leaves it when it has got the repository. */
  async function prepared(name: string): Promise<string> {
    const { id } = await ada.client.createWorkspace({ body: { name, desired_state: "STANDBY", repository: ADDRESS } });
    const context = { workspaceId: id, home: "/home/coder", folder: "app", environment: {}, images: null };
    const plan = readDevcontainer(TEXT, { ...context, largest, hash });
    const setup = { version: 1, state: "ready", folder: "app", at: new Date().toISOString(), took_ms: 5, notices: [] };
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("INSERT INTO setup_logs (workspace_id, version, log, plan) VALUES ($1, 1, 'said', $2)", [
      id,
      plan,
    ]);
    const context2 = { setup: { ...setup, commit: null, branch: null, failure: null } };
    await client.query("UPDATE workspaces SET home_ctx = $2 WHERE id = $1", [id, context2]);
    await client.end();
    return id;
  }

  it("is shown with its commands, and these run nowhere before their owner has agreed", async () => {
    const params = { id: await prepared("project") };
    const shown = await ada.client.getProject({ params });
    expect(shown).toMatchObject({
      found: true,
      allowed: false,
      ports: [{ port: 3000 }],
      without_effect: ["waitFor: postCreate"],
    });
    expect(shown.steps).toMatchObject([
      { name: "settings", runs: "once", commands: [{ text: '"editor.tabSize": 3' }], state: null },
      { name: "extensions", runs: "once", commands: [{ text: "team.tool" }], state: null },
      { name: "postCreate", runs: "once", commands: [{ text: "npm ci" }], state: null },
    ]);
    expect(shown.notices.map(({ message }) => message)).toEqual([expect.stringContaining("mounts (line 1)")]);
    const other = ada.client.allowCommands({ params, body: { digest: "another" } });
    expect(await refusal(other)).toBe("COMMANDS_CHANGED");
    await ada.client.allowCommands({ params, body: { digest: shown.digest ?? "" } });
    expect(await ada.client.getProject({ params })).toMatchObject({ allowed: true });
    expect(await refusal(bob.client.getProject({ params }))).toBe("NOT_FOUND");
  });

  it("has output that its owner can read, and nobody else, as long as it runs", async () => {
    const id = await prepared("writes");
    const params = { id };
    const ATTEMPT = randomUUID();
    const query = { step: "postCreate" };
    const said = (over: object): string =>
      `\u001ecodehub ${JSON.stringify({ run: ATTEMPT, step: "postCreate", ...over })}`;
    const data = (text: string | Buffer): string => Buffer.from(text).toString("base64");
    // One sign in two pieces, a colour, and a line of somebody else.
    containerLog = [
      said({ n: 1, state: "running", code: null, at: 1 }),
      said({ part: "head", from: 0, gap: 0, data: data(Buffer.from("\u001b[31mgr\u00fc", "utf8").subarray(0, -1)) }),
      "IDE listens",
      said({ part: "head", from: 8, gap: 0, data: data(Buffer.from("\u00fc").subarray(1)) }),
    ];
    expect(await ada.client.getStepOutput({ params, query })).toEqual({ beginning: "", end: null });
    const endpoint = JSON.stringify({ container_id: "c", attempt: ATTEMPT, address: { kind: "unix", path: "/s" } });
    await api.sql.query("UPDATE workspaces SET endpoint = $2 WHERE id = $1", [id, endpoint]);
    expect(await ada.client.getStepOutput({ params, query })).toEqual({ beginning: "gr\u00fc", end: null });
    expect(await ada.client.getStepOutput({ params, query: { step: "onCreate" } })).toEqual({
      beginning: "",
      end: null,
    });
    containerLog = [...containerLog, said({ part: "tail", from: 0, gap: 1, data: data("the end\n") })];
    expect(await ada.client.getStepOutput({ params, query })).toEqual({ beginning: "gr\u00fc", end: "the end\n" });
    expect((await ada.client.getProject({ params })).steps.at(-1)).toMatchObject({ state: "running" });
    // What is for the program is nothing for people.
    expect(await ada.client.getLogs({ params })).toEqual({ lines: ["IDE listens"], truncated: false });
    expect(await refusal(bob.client.getStepOutput({ params, query }))).toBe("NOT_FOUND");
    expect(await refusal(ada.client.getStepOutput({ params, query: { step: "../x" } }))).toBe("VALIDATION_FAILED");
  });

  it("is known when the same person opens the same repository again", async () => {
    expect(await ada.client.getProject({ params: { id: await prepared("again") } })).toMatchObject({ allowed: true });
  });
});

describe("a workspace without one", () => {
  const plain = () => ada.client.createWorkspace({ body: { name: "plain", desired_state: "STANDBY" } });

  it("can be given one later, and another one, and need not wait", async () => {
    const { id, desired_version: version, setup } = await plain();
    expect(setup).toBeNull();
    const params = { id };
    const given = await ada.client.setRepository({ params, body: { address: ADDRESS } });
    expect(given).toMatchObject({ desired_version: version + 1, setup: { state: "waiting" }, keys_allowed: true });
    expect((await ada.client.skipSetup({ params })).setup).toMatchObject({ state: "skipped" });
    const other = { address: "https://github.com/team/other", keys_allowed: false };
    const again = await ada.client.setRepository({ params, body: other });
    expect(again).toMatchObject({ repository: { key: "github.com/team/other" }, keys_allowed: false });
    expect(again.setup).toMatchObject({ state: "waiting" });
    const history = await ada.client.listHistory({ params, query: {} });
    expect(history.items.map((item) => item.summary)).toEqual(
      expect.arrayContaining([
        "Requested to get github.com/team/other into the home",
        "Requested to open without waiting for github.com/team/app",
      ]),
    );
  });

  it("has none to try again or to skip", async () => {
    const params = { id: (await plain()).id };
    expect(await refusal(ada.client.setRepository({ params, body: {} }))).toBe("NO_REPOSITORY");
    expect(await refusal(ada.client.skipSetup({ params }))).toBe("NO_REPOSITORY");
    expect(await refusal(bob.client.setRepository({ params, body: { address: ADDRESS } }))).toBe("NOT_FOUND");
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runHousekeeping } from "#api/health/housekeeping.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { openStream } from "./event-stream.ts";
import { browserFetch, clientFor, PASSWORD, refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

let database: TestDatabase;
let api: TestApi;
let root: TestUser;
let leaver: TestUser;
let heir: TestUser;
let people = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url });
  root = await api.user("root", "admin");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});
beforeEach(async () => {
  people += 1;
  leaver = await api.user(`leaver-${people}`);
  heir = await api.user(`heir-${people}`);
});

const remove = (give_to?: string, confirm = leaver.name) =>
  root.client.deleteUser({
    params: { id: leaver.id },
    query: { confirm, ...(give_to === undefined ? {} : { give_to }) },
  });
const create = async (name: string, desired_state: "RUNNING" | "ARCHIVED") =>
  (await leaver.client.createWorkspace({ body: { name, desired_state } })).id;
const ownerOf = async (id: string) =>
  (await api.sql.query("SELECT owner_id FROM workspaces WHERE id = $1", [id])).rows[0]?.owner_id;
const countOf = async (table: string) =>
  (await api.sql.query(`SELECT FROM ${table} WHERE user_id = $1`, [leaver.id])).rowCount;
const present = (status: boolean) =>
  JSON.stringify({
    "infra.container_present": { status, reason: "r", message: "", last_transition_time: "2026-01-01T00:00:00.000Z" },
  });

describe("a user who is deleted", () => {
  it("is gone at once: sessions, streams, tokens, keys, secrets and settings", async () => {
    const { secret } = await leaver.client.createToken({ body: { name: "t" } });
    const id = await create("has a variable", "ARCHIVED");
    await leaver.client.putVariable({ body: { name: "A", value: "v", is_secret: true } });
    await leaver.client.putWorkspaceVariable({ params: { id }, body: { name: "B", value: "v", is_secret: true } });
    await leaver.client.makeSshKey();
    await leaver.client.putCredential({ body: { host: "git.example.com", username: "u", password: "p" } });
    await leaver.client.putKeySettings({
      body: { git_name: "L", git_email: null, dotfiles_address: null, dotfiles_command: null },
    });
    const stream = openStream(api, { cookie: leaver.cookie });
    await stream.until(() => stream.events.length > 0);
    expect(await remove()).toEqual({ given: 0 });
    await stream.ended;
    for (const headers of [{ cookie: leaver.cookie }, { authorization: `Bearer ${secret}` }])
      expect(await refusal(clientFor(api.url, api.origin, headers).getSession())).toBe("UNAUTHENTICATED");
    for (const table of ["sessions", "api_tokens", "variables", "credentials", "user_settings"])
      expect(await countOf(table), table).toBe(0);
    const login = await browserFetch(api.origin)(`${api.url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: leaver.name, password: PASSWORD }),
    });
    expect(login.status).toBe(401);
  });

  it("leaves workspaces in the trash, from which somebody else gets them", async () => {
    const [running, resting] = [await create("ran", "RUNNING"), await create("rested", "ARCHIVED")];
    await remove();
    for (const id of [running, resting]) {
      const { desired_state, purge, undelete_until } = await root.client.getWorkspace({ params: { id } });
      expect([desired_state, purge, undelete_until === null]).toEqual(["DELETED", false, false]);
    }
    const left = (await root.client.listUsers()).items.find(({ id }) => id === leaver.id);
    expect(left).toMatchObject({ in_trash: 2, deleted_at: expect.any(String) });
    const giveLeft = () => root.client.giveLeft({ params: { id: leaver.id }, body: { user_id: heir.id } });
    await api.sql.query("UPDATE workspaces SET conditions = $2 WHERE id = $1", [running, present(true)]);
    expect(await refusal(giveLeft())).toBe("WORKSPACES_NOT_AT_REST");
    await api.sql.query("UPDATE workspaces SET conditions = $2 WHERE id = $1", [running, present(false)]);
    expect(await giveLeft()).toEqual({ given: 2 });
    await heir.client.undeleteWorkspace({ params: { id: resting } });
    expect((await heir.client.getWorkspace({ params: { id: resting } })).desired_state).toBe("ARCHIVED");
    expect((await root.client.listUsers()).items.some(({ id }) => id === leaver.id)).toBe(false);
  });

  it("keeps the name in the audit log, and the name is not given again", async () => {
    const id = await create("named", "ARCHIVED");
    await remove();
    const { items } = await root.client.listAudit({ query: { user_id: leaver.id } });
    expect(items.map(({ actor }) => actor.username)).toEqual(items.map(() => leaver.name));
    expect(items.map(({ kind }) => kind)).toContain("created");
    const [deleted] = (await root.client.listAudit({ query: { kind: "user_deleted" } })).items;
    expect(deleted).toMatchObject({ summary: `${leaver.name} was deleted`, actor: { username: "root" } });
    expect((await root.client.listHistory({ params: { id } })).items[0]).toMatchObject({ kind: "delete" });
    expect(await refusal(root.client.createUser({ body: { username: leaver.name } }))).toBe("USERNAME_TAKEN");
  });

  it("is nobody to whom anything can be done", async () => {
    await remove();
    const params = { id: leaver.id };
    expect(await refusal(remove())).toBe("NOT_FOUND");
    expect(await refusal(root.client.updateUser({ params, body: { disabled: false } }))).toBe("NOT_FOUND");
    expect(await refusal(root.client.resetUserPassword({ params, body: {} }))).toBe("NOT_FOUND");
    expect(await refusal(root.client.getUserAccess({ params }))).toBe("NOT_FOUND");
    // Nor by a release that does not know of it.
    const enabled = api.sql.query("UPDATE users SET disabled_at = NULL WHERE id = $1", [leaver.id]);
    await expect(enabled).rejects.toThrow(/users_deleted_are_disabled/);
  });

  it("is asked for by name, is never oneself, and never the last administrator", async () => {
    expect(await refusal(remove(undefined, "LEAVER"))).toBe("USER_CONFIRMATION_MISMATCH");
    const query = { confirm: "root" };
    expect(await refusal(root.client.deleteUser({ params: { id: root.id }, query }))).toBe("OWN_ACCOUNT");
    const actor = { kind: "system", userId: null, address: null } as const;
    const last = await api.deps.accounts.remove(root.id, { confirmation: "root", giveTo: null }, actor);
    expect(last).toEqual({ done: false, why: "last_admin" });
    expect(await refusal(leaver.client.getSession())).toBe("ACCEPTED");
  });

  it("has what was left running seen to, should the server have died in the middle", async () => {
    const id = await create("left", "RUNNING");
    const actor = { kind: "admin", userId: root.id, address: null } as const;
    await api.deps.accounts.remove(leaver.id, { confirmation: leaver.name, giveTo: null }, actor);
    expect((await root.client.getWorkspace({ params: { id } })).desired_state).toBe("RUNNING");
    const ended = new AbortController();
    const clock = { ...api.deps.clock, sleep: async () => ended.abort() };
    await runHousekeeping({ ...api.deps, clock }, ended.signal);
    expect((await root.client.getWorkspace({ params: { id } })).desired_state).toBe("DELETED");
  });
});

describe("workspaces that are given to somebody else", () => {
  it("are theirs, with nothing of the former owner's keys, and without theirs until they say so", async () => {
    const id = await create("given", "ARCHIVED");
    await leaver.client.putWorkspaceVariable({ params: { id }, body: { name: "B", value: "v", is_secret: true } });
    expect(await remove(heir.id)).toEqual({ given: 1 });
    expect(await ownerOf(id)).toBe(heir.id);
    const got = await heir.client.getWorkspace({ params: { id } });
    expect(got).toMatchObject({ name: "given", desired_state: "ARCHIVED", deleted_at: null });
    expect((await heir.client.listWorkspaceVariables({ params: { id } })).items).toEqual([]);
    expect((await api.sql.query("SELECT FROM variables WHERE workspace_id = $1", [id])).rowCount).toBe(0);
    const { rows } = await api.sql.query("SELECT keys_allowed FROM workspaces WHERE id = $1", [id]);
    expect(rows[0]).toEqual({ keys_allowed: false });
    await heir.client.updateWorkspace({ params: { id }, body: { keys_allowed: true } });
    expect((await heir.client.getWorkspace({ params: { id } })).keys_allowed).toBe(true);
    const [, line] = (await heir.client.listHistory({ params: { id } })).items;
    expect(line).toMatchObject({
      summary: `It belonged to ${leaver.name}, who was deleted, and was given to ${heir.name}`,
      actor: { kind: "admin", username: "root" },
    });
  });

  it("come to the new owner's open pages", async () => {
    const id = await create("appears", "ARCHIVED");
    const stream = openStream(api, { cookie: heir.cookie });
    await stream.until(() => stream.events.length > 0);
    await remove(heir.id);
    await stream.until(() => stream.workspaces.has(id));
    stream.close();
  });

  it.each<[string, string]>([
    ["runs", "desired_state = 'RUNNING'"],
    ["has a container", `desired_state = 'STANDBY', home_volume = 'v' || id, conditions = '${present(true)}'`],
    ["cannot be seen", "desired_state = 'STANDBY', home_volume = 'v' || id"],
    ["is on its way", "operation = 'ARCHIVING', op_id = gen_random_uuid(), op_epoch = 1, op_started_at = now()"],
  ])("are all at rest: while one %s nothing is done", async (_name, state) => {
    const [busy, other] = [await create("busy", "ARCHIVED"), await create("other", "ARCHIVED")];
    await api.sql.query(`UPDATE workspaces SET ${state} WHERE id = $1`, [busy]);
    await expect(remove(heir.id)).rejects.toMatchObject({
      code: "WORKSPACES_NOT_AT_REST",
      details: { workspaces: ["busy"] },
    });
    expect([await ownerOf(busy), await ownerOf(other)]).toEqual([leaver.id, leaver.id]);
    expect(await refusal(leaver.client.getSession())).toBe("ACCEPTED");
  });

  it("go to somebody who is there", async () => {
    await create("w", "ARCHIVED");
    const nobody = "00000000-0000-4000-8000-00000000dead";
    expect(await refusal(remove(nobody))).toBe("NO_RECEIVER");
    expect(await refusal(remove(leaver.id))).toBe("NO_RECEIVER");
    await root.client.updateUser({ params: { id: heir.id }, body: { disabled: true } });
    expect(await refusal(remove(heir.id))).toBe("NO_RECEIVER");
    // Of somebody who is still there nothing can be taken.
    const take = root.client.giveLeft({ params: { id: leaver.id }, body: { user_id: root.id } });
    expect(await refusal(take)).toBe("NOT_FOUND");
  });
});

describe("how many workspaces of a user may run", () => {
  it("is exact with a number of their own, named in the refusal, and told to them", async () => {
    const params = { id: leaver.id };
    await root.client.updateUser({ params, body: { max_running: 3 } });
    const codes = await Promise.all(
      Array.from({ length: 12 }, (_, n) => refusal(leaver.client.createWorkspace({ body: { name: `w${n}` } }))),
    );
    expect(codes.filter((code) => code === "ACCEPTED")).toHaveLength(3);
    await expect(leaver.client.createWorkspace({ body: { name: "more" } })).rejects.toMatchObject({
      status: 429,
      details: { limit: 3 },
    });
    const { deployment, user } = await leaver.client.getSession();
    expect([deployment.limits.max_running_per_user, user.max_running]).toEqual([3, 3]);
    expect((await heir.client.getSession()).deployment.limits.max_running_per_user).toBe(2);
    await root.client.updateUser({ params, body: { max_running: 0 } });
    const { items } = await leaver.client.listWorkspaces();
    await leaver.client.updateWorkspace({ params: { id: items[0]?.id ?? "" }, body: { desired_state: "STANDBY" } });
    const again = leaver.client.updateWorkspace({
      params: { id: items[0]?.id ?? "" },
      body: { desired_state: "RUNNING" },
    });
    await expect(again).rejects.toMatchObject({ status: 429, details: { limit: 0 } });
    await root.client.updateUser({ params, body: { max_running: null } });
    const lines = (await root.client.listAudit({ query: { kind: "limit_changed", limit: 3 } })).items;
    expect(lines.map(({ summary }) => summary)).toEqual([
      `${leaver.name} may have as many workspaces running as everybody`,
      `${leaver.name} may have 0 workspaces running`,
      `${leaver.name} may have 3 workspaces running`,
    ]);
    // The role was not touched by it.
    expect((await root.client.listUsers()).items.find(({ id }) => id === leaver.id)?.role).toBe("user");
  });
});

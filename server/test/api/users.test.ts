import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { openStream } from "./event-stream.ts";
import { clientFor, PASSWORD, refusal, signIn, startApi, type TestApi, type TestUser } from "./harness.ts";

let database: TestDatabase;
let api: TestApi;
let root: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, listens: false });
  root = await api.user("root", "admin");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const overview = async (id: string) => (await root.client.listUsers()).items.find((user) => user.id === id);

/** An archive of a workspace, as the coordinator would have written it. */
const archived = (id: string, opId: string, stored: number, content: number, state: string) =>
  api.sql.query(
    `INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count, manifest_digest, format_version, verified_at)
     VALUES ($2, $1, $3, $6, repeat('a', 64), $4, $5, 1, 'm', 1, now())`,
    [id, `${id}/${opId}`, opId, stored, content, state],
  );

describe("what a user has and uses", () => {
  it("is counted: workspaces, slots, trash, homes on disk, archives, sessions and tokens", async () => {
    const ada = await api.user("ada");
    const create = async (name: string, desired_state: "RUNNING" | "STANDBY") =>
      (await ada.client.createWorkspace({ body: { name, desired_state } })).id;
    const [one, two, gone] = [
      await create("one", "RUNNING"),
      await create("two", "STANDBY"),
      await create("gone", "STANDBY"),
    ];
    await ada.client.deleteWorkspace({ params: { id: gone } });
    await archived(one, "00000000-0000-4000-8000-000000000001", 100, 1_000, "version");
    await archived(two, "00000000-0000-4000-8000-000000000002", 20, 200, "current");
    await archived(two, "00000000-0000-4000-8000-000000000003", 7, 70, "orphan");
    await api.sql.query("UPDATE workspaces SET home_volume = 'v' WHERE id = $1", [one]);
    await ada.client.createToken({ body: { name: "ci" } });
    expect(await overview(ada.id)).toMatchObject({
      ...{ username: "ada", workspaces: 2, running: 1, in_trash: 1 },
      ...{ home_bytes: 1_000, archive_bytes: 120, sessions: 1, tokens: 1 },
    });
    const none = { workspaces: 0, running: 0, in_trash: 0, home_bytes: 0, archive_bytes: 0, tokens: 0 };
    expect(await overview(root.id)).toMatchObject(none);
  });

  it("says when somebody was last seen, by whichever way that was", async () => {
    const eve = await api.user("eve");
    const { id } = await eve.client.createWorkspace({ body: { name: "w", desired_state: "STANDBY" } });
    const seen = async () => (await overview(eve.id))?.last_seen_at;
    await api.sql.query("UPDATE users SET last_login_at = '2026-01-01Z' WHERE id = $1", [eve.id]);
    await api.sql.query("UPDATE workspaces SET last_access_at = '2026-01-02Z' WHERE id = $1", [id]);
    expect(await seen()).toBe("2026-01-02T00:00:00.000Z");
    const { token } = await eve.client.createToken({ body: { name: "t" } });
    await api.sql.query("UPDATE api_tokens SET last_used_at = '2026-01-03Z' WHERE id = $1", [token.id]);
    expect(await seen()).toBe("2026-01-03T00:00:00.000Z");
  });
});

describe("by what somebody gets in", () => {
  it("is listed without secrets, and each of it ends by itself, at once", async () => {
    const bob = await api.user("bob");
    const other = await signIn(api.url, api.origin, "bob", PASSWORD);
    const elsewhere = clientFor(api.url, api.origin, { cookie: other });
    const { secret, token } = await bob.client.createToken({ body: { name: "script" } });
    const script = clientFor(api.url, api.origin, { authorization: `Bearer ${secret}` });
    const params = { id: bob.id };
    const access = await root.client.getUserAccess({ params });
    expect([access.sessions.length, access.tokens.map(({ name }) => name)]).toEqual([2, ["script"]]);
    expect(JSON.stringify(access)).not.toContain(secret);
    const [newest] = access.sessions;
    expect(newest?.address).toBe("127.0.0.1");
    await using stream = closing(openStream(api, { cookie: other }));
    await stream.value.until(() => stream.value.events.length > 0);

    await root.client.endUserSession({ params: { ...params, session_id: newest?.id ?? "" } });
    await stream.value.ended;
    expect(await refusal(elsewhere.getSession())).toBe("UNAUTHENTICATED");
    expect(await refusal(bob.client.getSession())).toBe("ACCEPTED");
    await root.client.revokeUserToken({ params: { ...params, token_id: token.id } });
    expect(await refusal(script.getSession())).toBe("UNAUTHENTICATED");
    const { items } = await root.client.listAudit({ query: { user_id: root.id, limit: 2 } });
    expect(items.map(({ summary }) => summary)).toEqual([
      'The API token "script" was revoked',
      "A session of bob was ended",
    ]);
  });

  it("ends as a whole, and nobody else's with it", async () => {
    const [carl, dora] = [await api.user("carl"), await api.user("dora")];
    const { secret } = await carl.client.createToken({ body: { name: "script" } });
    await root.client.endUserAccess({ params: { id: carl.id } });
    for (const headers of [{ cookie: carl.cookie }, { authorization: `Bearer ${secret}` }])
      expect(await refusal(clientFor(api.url, api.origin, headers).getSession())).toBe("UNAUTHENTICATED");
    expect(await refusal(dora.client.getSession())).toBe("ACCEPTED");
    // The password stays.
    await signIn(api.url, api.origin, "carl", PASSWORD);
  });

  it("is only that user's: another's session or token is not found by this one's id", async () => {
    const [fay, gil] = [await api.user("fay"), await api.user("gil")];
    const { token } = await gil.client.createToken({ body: { name: "t" } });
    const { sessions } = await root.client.getUserAccess({ params: { id: gil.id } });
    const id = fay.id;
    expect(await refusal(root.client.endUserSession({ params: { id, session_id: sessions[0]?.id ?? "" } }))).toBe(
      "NOT_FOUND",
    );
    expect(await refusal(root.client.revokeUserToken({ params: { id, token_id: token.id } }))).toBe("NOT_FOUND");
    expect(await refusal(gil.client.getSession())).toBe("ACCEPTED");
    const nobody = "00000000-0000-4000-8000-00000000dead";
    expect(await refusal(root.client.getUserAccess({ params: { id: nobody } }))).toBe("NOT_FOUND");
    expect(await refusal(root.client.endUserAccess({ params: { id: nobody } }))).toBe("NOT_FOUND");
  });
});

const closing = <T extends { close: () => void }>(value: T) => ({
  value,
  [Symbol.asyncDispose]: async () => value.close(),
});

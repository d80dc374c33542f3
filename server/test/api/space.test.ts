import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CACHE_FOLDERS } from "#core/space/caches.ts";
import type { Emptied, HomeLook } from "#core/space/home-look.ts";
import { MOST_LOOKS } from "#core/space/may-look.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, refusal, startApi, type TestApi, type TestUser } from "./harness.ts";

const ATTEMPT = "00000000-0000-4000-8000-0000000000aa";
const MEBIBYTE = 1024 * 1024;
const LOOK: HomeLook = {
  whole: true,
  caches: [{ path: ".npm/_cacache", bytes: 3 * MEBIBYTE }],
  taken: [
    { path: "", bytes: 9 * MEBIBYTE },
    { path: "two\nlines", bytes: 5 * MEBIBYTE },
  ],
};

let database: TestDatabase;
let api: TestApi;
let ada: TestUser;
let bob: TestUser;
let root: TestUser;
let looks: (folders: readonly string[]) => Promise<HomeLook>;
let empties: (folders: readonly string[]) => Promise<Emptied>;
const asked: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const home = {
    lookIntoHome: (id: string, folders: readonly string[]) => {
      asked.push(`look ${id}`);
      return looks(folders);
    },
    emptyInHome: (id: string, folders: readonly string[]) => {
      asked.push(`empty ${id} ${folders}`);
      return empties(folders);
    },
  };
  api = await startApi({ databaseUrl: database.url, overrides: { home } });
  [ada, bob, root] = [await api.user("ada"), await api.user("bob"), await api.user("root", "admin")];
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

/** As the coordinator leaves it when it runs. */
async function running(name: string, of = ada, on = api): Promise<string> {
  const { id } = await of.client.createWorkspace({ body: { name, desired_state: "STANDBY" } });
  const endpoint = JSON.stringify({ container_id: "c", attempt: ATTEMPT, address: { kind: "unix", path: "/s" } });
  await on.sql.query("UPDATE workspaces SET endpoint = $2 WHERE id = $1", [id, endpoint]);
  looks = async () => LOOK;
  empties = async () => ({ whole: true, before: 3 * MEBIBYTE, after: MEBIBYTE });
  asked.length = 0;
  return id;
}
const EMPTY = { whole: false, home_bytes: null, largest: [], caches: [] };
const historyOf = async (id: string) => (await ada.client.listHistory({ params: { id } })).items;

describe("where the room in a home went", () => {
  it("is told to its owner, with names that can be shown", async () => {
    const id = await running("told");
    const { last_access_at: before } = await ada.client.getWorkspace({ params: { id } });
    looks = async (folders) => {
      expect(folders).toEqual(CACHE_FOLDERS);
      return LOOK;
    };
    expect(await ada.client.getHomeSpace({ params: { id } })).toEqual({
      state: "seen",
      whole: true,
      home_bytes: 9 * MEBIBYTE,
      largest: [{ path: "two\u{FFFD}lines", bytes: 5 * MEBIBYTE }],
      caches: [{ id: "npm", folders: [".npm/_cacache"], bytes: 3 * MEBIBYTE }],
    });
    expect((await ada.client.getWorkspace({ params: { id } })).last_access_at).toBe(before);
  });

  it("is nobody else's to know or to change, and no token's", async () => {
    const id = await running("private");
    const params = { id, cache: "npm" } as const;
    const { secret } = await ada.client.createToken({ body: { name: "scripts" } });
    const headers = { authorization: `Bearer ${secret}` };
    const byToken = await browserFetch(api.origin, headers)(`${api.url}/api/v1/workspaces/${id}/space`, {});
    expect([byToken.status, await byToken.json()]).toMatchObject([403, { error: { code: "SESSION_REQUIRED" } }]);
    expect(await refusal(bob.client.getHomeSpace({ params: { id } }))).toBe("NOT_FOUND");
    expect(await refusal(bob.client.emptyCache({ params }))).toBe("NOT_FOUND");
    expect(await refusal(root.client.getHomeSpace({ params: { id } }))).toBe("FORBIDDEN");
    expect(await refusal(root.client.emptyCache({ params }))).toBe("FORBIDDEN");
    expect(asked).toEqual([]);
  });

  it("is not asked of what does not run", async () => {
    const { id } = await ada.client.createWorkspace({ body: { name: "sleeps", desired_state: "STANDBY" } });
    asked.length = 0;
    expect(await ada.client.getHomeSpace({ params: { id } })).toEqual({ ...EMPTY, state: "not_running" });
    expect(await refusal(ada.client.emptyCache({ params: { id, cache: "npm" } }))).toBe("NOT_RUNNING");
    expect(asked).toEqual([]);
    expect((await historyOf(id)).map(({ kind }) => kind)).not.toContain("cache_emptied");
  });

  it("cannot be had where nothing can be run in a container", async () => {
    await using cluster = await startApi({ databaseUrl: database.url });
    const own = await cluster.user("eve");
    const id = await running("in a cluster", own, cluster);
    expect(await own.client.getHomeSpace({ params: { id } })).toEqual({ ...EMPTY, state: "not_here" });
    expect(await refusal(own.client.emptyCache({ params: { id, cache: "npm" } }))).toBe("HOME_OUT_OF_REACH");
  });

  it("is looked for once at a time, and not all the time", async () => {
    const id = await running("busy");
    const params = { id, cache: "npm" } as const;
    const seen = Promise.withResolvers<HomeLook>();
    const begun = Promise.withResolvers<void>();
    looks = () => {
      begun.resolve();
      return seen.promise;
    };
    const first = ada.client.getHomeSpace({ params: { id } });
    await begun.promise;
    expect(await refusal(ada.client.getHomeSpace({ params: { id } }))).toBe("HOME_BUSY");
    expect(await refusal(ada.client.emptyCache({ params }))).toBe("HOME_BUSY");
    seen.resolve(LOOK);
    expect((await first).state).toBe("seen");
    for (let turn = 1; turn < MOST_LOOKS; turn++)
      expect(await refusal(ada.client.emptyCache({ params }))).toBe("ACCEPTED");
    await expect(ada.client.getHomeSpace({ params: { id } })).rejects.toMatchObject({
      code: "TOO_MANY_LOOKS",
      retryAfterSeconds: expect.any(Number),
    });
    const other = await running("not busy");
    expect((await ada.client.getHomeSpace({ params: { id: other } })).state).toBe("seen");
  });

  it("is not taken for nothing when the engine is away", async () => {
    const id = await running("away");
    looks = () => Promise.reject(new Error("the engine is away"));
    expect(await refusal(ada.client.getHomeSpace({ params: { id } }))).toBe("ENGINE_UNAVAILABLE");
    looks = async () => LOOK;
    expect((await ada.client.getHomeSpace({ params: { id } })).state).toBe("seen");
  });
});

describe("a cache", () => {
  it("is emptied by its name in our table, and the history says who did it and what came of it", async () => {
    const id = await running("emptied");
    expect(await ada.client.emptyCache({ params: { id, cache: "cargo" } })).toEqual({
      whole: true,
      freed_bytes: 2 * MEBIBYTE,
    });
    expect(asked).toEqual(["empty c .cargo/registry/cache,.cargo/registry/src,.cargo/git/checkouts"]);
    const [line] = await historyOf(id);
    expect(line).toMatchObject({
      kind: "cache_emptied",
      summary: `The cache of Cargo was emptied: ${2 * MEBIBYTE} bytes freed`,
      actor: { kind: "user", username: "ada" },
    });
    const { items } = await root.client.listAudit({ query: { kind: "cache_emptied" } });
    expect(items[0]).toMatchObject({ workspace_id: id, actor: { username: "ada" } });
  });

  it.each(["unknown", "__proto__", "..%2F..%2Fetc", "npm%2F..", "NPM"])("of the name %s is none", async (cache) => {
    const id = await running("refuses");
    const url = `${api.url}/api/v1/workspaces/${id}/space/${cache}/empty`;
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const answer = await browserFetch(api.origin, { cookie: ada.cookie })(url, init);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "VALIDATION_FAILED" } }]);
    expect(asked).toEqual([]);
  });

  it.each([
    ["in part", async () => ({ whole: false, before: 9, after: 4 }), "ACCEPTED", "in_part", 5],
    ["for an unknown gain", async () => ({ whole: true, before: 9, after: null }), "ACCEPTED", "cache_emptied", null],
    ["until the engine was away", () => Promise.reject(new Error("away")), "ENGINE_UNAVAILABLE", "in_part", null],
  ] as const)("that was emptied %s is told as that", async (_, came, answer, code, freed) => {
    const id = await running("told");
    empties = came;
    expect(await refusal(ada.client.emptyCache({ params: { id, cache: "npm" } }))).toBe(answer);
    const [line] = await historyOf(id);
    expect(line).toMatchObject({ kind: "cache_emptied", details: { code, cache: "npm", freed_bytes: freed } });
  });
});

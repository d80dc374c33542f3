import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { refusal, startApi, type TestApi } from "./harness.ts";

const ROUNDS = 100;
const STARTS = 50;

let database: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, listens: false });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const tally = (codes: readonly string[]) => ({
  accepted: codes.filter((code) => code === "ACCEPTED").length,
  refused: codes.filter((code) => code === "RUNNING_LIMIT_EXCEEDED").length,
});

describe("the running limit is exact", () => {
  it(`${ROUNDS} rounds of ${STARTS} starts at the same moment: always exactly 2 are accepted`, {
    timeout: 600_000,
  }, async () => {
    const ada = await api.user("ada");
    const ids: string[] = [];
    for (let index = 0; index < STARTS; index += 1)
      ids.push((await ada.client.createWorkspace({ body: { name: `w${index}`, desired_state: "STANDBY" } })).id);
    for (let round = 0; round < ROUNDS; round += 1) {
      const codes = await Promise.all(
        ids.map((id, index) =>
          // PATCH and the wake of a visit race for the same slots.
          index % 5 === 0
            ? api.deps.requests
                .wake({ id, ownerId: ada.id }, ada.id)
                .then((answer) => (answer.accepted ? "ACCEPTED" : answer.refusal))
            : refusal(ada.client.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } })),
        ),
      );
      expect(tally(codes), `round ${round}`).toEqual({ accepted: 2, refused: STARTS - 2 });
      const running = await api.sql.query(
        "SELECT count(*)::int AS count FROM workspaces WHERE desired_state = 'RUNNING'",
      );
      expect(running.rows[0]?.count).toBe(2);
      await api.sql.query("UPDATE workspaces SET desired_state = 'STANDBY' WHERE desired_state = 'RUNNING'");
    }
    await api.sql.query("DELETE FROM workspaces");
  });

  it("creating counts too, leaves nothing behind when refused, and says what is running", async () => {
    const bob = await api.user("bob");
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => refusal(bob.client.createWorkspace({ body: { name: `c${index}` } }))),
    );
    expect(tally(codes)).toEqual({ accepted: 2, refused: 18 });
    expect((await bob.client.listWorkspaces()).total).toBe(2);
    const refused = bob.client.createWorkspace({ body: { name: "one more" } });
    await expect(refused).rejects.toMatchObject({
      status: 429,
      details: { limit: 2, running: [{ name: expect.any(String) }, { name: expect.any(String) }] },
    });
  });

  it("a container that is still there holds its slot, also when the wish has left RUNNING", async () => {
    const eve = await api.user("eve");
    const { id } = await eve.client.createWorkspace({ body: { name: "stopping" } });
    await eve.client.createWorkspace({ body: { name: "second" } });
    await eve.client.updateWorkspace({ params: { id }, body: { desired_state: "STANDBY" } });
    const present = { status: true, reason: "r", message: "m", last_transition_time: new Date().toISOString() };
    const conditions = JSON.stringify({ "infra.container_present": present });
    await api.sql.query("UPDATE workspaces SET conditions = $2 WHERE id = $1", [id, conditions]);
    expect(await refusal(eve.client.createWorkspace({ body: { name: "third" } }))).toBe("RUNNING_LIMIT_EXCEEDED");
    await api.sql.query("UPDATE workspaces SET conditions = '{}' WHERE id = $1", [id]);
    expect(await refusal(eve.client.createWorkspace({ body: { name: "third" } }))).toBe("ACCEPTED");
  });

  it("everybody's limit holds across users and names no stranger's workspace", async () => {
    await using small = await startApi({
      databaseUrl: database.url,
      listens: false,
      settings: { limits: { maxRunningPerUser: 5, maxRunningGlobal: 6 } },
    });
    const [a, b] = [await small.user("first"), await small.user("second")];
    const held = await small.sql.query("SELECT count(*)::int AS count FROM workspaces WHERE holds_slot");
    const free = 6 - Number(held.rows[0]?.count);
    const codes = await Promise.all(
      [a, b].flatMap((user) =>
        Array.from({ length: 5 }, (_, index) =>
          refusal(user.client.createWorkspace({ body: { name: `secret-${user.name}-${index}` } })),
        ),
      ),
    );
    expect(tally(codes)).toEqual({ accepted: free, refused: 10 - free });
    const error = await b.client.createWorkspace({ body: { name: "more" } }).catch((thrown: unknown) => thrown);
    expect(JSON.stringify((error as { details: unknown }).details)).not.toContain("secret-first");
  });

  it("names the limit that refused, and never the workspace that asks", async () => {
    await using database2 = await createTestDatabase();
    const limits = { maxRunningPerUser: 2, maxRunningGlobal: 1 };
    await using tight = await startApi({ databaseUrl: database2.url, listens: false, settings: { limits } });
    const { client } = await tight.user("ada");
    await client.createWorkspace({ body: { name: "runs" } });
    const { id } = await client.createWorkspace({ body: { name: "leftover", desired_state: "STANDBY" } });
    const present = { status: true, reason: "r", message: "m", last_transition_time: new Date().toISOString() };
    const conditions = JSON.stringify({ "infra.container_present": present });
    await tight.sql.query("UPDATE workspaces SET conditions = $2 WHERE id = $1", [id, conditions]);
    await expect(client.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } })).rejects.toMatchObject({
      code: "RUNNING_LIMIT_EXCEEDED",
      details: { scope: "Everybody together", limit: 1, count: 1, running: [{ name: "runs" }] },
    });
  });

  it("where processes protect nobody from anybody, only the first person may start", async () => {
    await using database2 = await createTestDatabase();
    await using single = await startApi({
      databaseUrl: database2.url,
      listens: false,
      singleUserOnly: true,
    });
    const [first, second] = [await single.user("first"), await single.user("second")];
    await first.client.createWorkspace({ body: { name: "mine" } });
    expect(await refusal(second.client.createWorkspace({ body: { name: "theirs" } }))).toBe(
      "PROCESS_RUNTIME_SINGLE_USER",
    );
    const { id } = await second.client.createWorkspace({ body: { name: "asleep", desired_state: "ARCHIVED" } });
    const start = second.client.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    expect(await refusal(start)).toBe("PROCESS_RUNTIME_SINGLE_USER");
  });
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, startApi, type TestApi, type TestUser } from "./harness.ts";

const DAY = 86_400_000;
let database: TestDatabase;
let api: TestApi;
let root: TestUser;
let ada: TestUser;
/** When this week began. */
let monday: number;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url, listens: false });
  [root, ada] = [await api.user("root", "admin"), await api.user("ada")];
  const { rows } = await api.sql.query(
    "SELECT date_trunc('week', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS monday",
  );
  monday = new Date(rows[0].monday).getTime();
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

const create = async (owner: TestUser, name: string) =>
  (await owner.client.createWorkspace({ body: { name, desired_state: "ARCHIVED" } })).id;
/** A line as the coordinator writes it, so many days before this week began. */
const line = (id: string, daysBefore: number, to: string, more: { kind?: string; bytes?: number } = {}) =>
  api.sql.query(
    `INSERT INTO workspace_events (at, kind, workspace_id, actor_kind, summary, to_phase, details)
     VALUES ($1, $2, $3, 'coordinator', '', $4, $5)`,
    [
      new Date(monday - daysBefore * DAY),
      more.kind ?? "operation_completed",
      id,
      to,
      JSON.stringify(more.bytes === undefined ? {} : { contentBytes: more.bytes }),
    ],
  );

it("counts hours and sizes by user and week, over the ends of weeks, and nothing twice", async () => {
  const [one, two, gone] = [await create(ada, "one"), await create(ada, "two"), await create(ada, "gone")];
  // Ran from two days before this week's predecessor began to one day after.
  await line(one, 9, "RUNNING");
  // Taken away tells of a request, not of a phase.
  await line(one, 8, "STANDBY", { kind: "taken_away" });
  await line(one, 6, "STANDBY");
  await line(one, 5, "ARCHIVED", { bytes: 300 });
  await line(two, 4.5, "ARCHIVED", { bytes: 20 });
  await line(two, 4, "RUNNING", { kind: "phase_changed" });
  await line(two, 3, "ERROR", { kind: "error" });
  await line(gone, 10, "ARCHIVED", { bytes: 4_000 });
  await api.sql.query("UPDATE workspaces SET desired_state = 'DELETED', deleted_at = $2 WHERE id = $1", [
    gone,
    new Date(monday - 8 * DAY),
  ]);
  const { weeks, users } = await root.client.getUsageReport({ query: { weeks: 3 } });
  expect(weeks.map((week) => (monday - Date.parse(week)) / DAY)).toEqual([14, 7, 0]);
  expect(users).toEqual([{ user_id: ada.id, username: "ada", hours: [48, 48, 0], home_bytes: [0, 320, 320] }]);
});

it("counts what runs now until now, and what ran when nobody wrote its end until that was seen", async () => {
  const bob = await api.user("bob");
  const [runs, ended] = [await create(bob, "runs"), await create(bob, "ended")];
  for (const id of [runs, ended]) await line(id, 1, "RUNNING");
  await api.sql.query("UPDATE workspaces SET phase = 'RUNNING' WHERE id = $1", [runs]);
  await api.sql.query("UPDATE workspaces SET phase_changed_at = $2 WHERE id = $1", [ended, new Date(monday - DAY / 2)]);
  const { users } = await root.client.getUsageReport({ query: { weeks: 2 } });
  const hours = users.find(({ username }) => username === "bob")?.hours ?? [];
  expect(hours[0]).toBe(24 + 12);
  expect(hours[1]).toBeCloseTo((Date.now() - monday) / 3_600_000, 1);
});

it("is a file, too, for administrators, and that is in the audit log", async () => {
  const get = (user: TestUser) =>
    browserFetch(api.origin, { cookie: user.cookie })(`${api.url}/api/v1/system/usage.csv?weeks=3`, {});
  const answer = await get(root);
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const [head, first] = (await answer.text()).split("\r\n");
  expect(head).toBe('"user_id","user","week","hours","home_bytes"');
  expect(first).toBe(`"${ada.id}","ada","${new Date(monday - 14 * DAY).toISOString().slice(0, 10)}",48,0`);
  expect((await get(ada)).status).toBe(403);
  const { items } = await root.client.listAudit({ query: { kind: "usage_downloaded" } });
  expect(items.map(({ actor }) => actor.username)).toEqual(["root"]);
});

import { randomUUID } from "node:crypto";
import type { WorkspaceList, WorkspaceSummary } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#adapters/system/clock.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { browserFetch, startApi, type TestApi, type TestUser } from "./harness.ts";

// Finished texts of summaries are kept. Whatever a summary is made from must make another one, at once: the server that
// has kept them is compared with one that has never been asked.

let database: TestDatabase;
let now = Date.UTC(2026, 10, 16, 12);
const clock = { ...systemClock, nowMs: () => now };
let warm: TestApi;
let ada: TestUser;
let bob: TestUser;
let root: TestUser;

const start = (settings = {}): Promise<TestApi> =>
  startApi({ databaseUrl: database.url, overrides: { clock }, listens: false, settings });

beforeAll(async () => {
  database = await createTestDatabase();
  warm = await start();
  ada = await warm.user("ada");
  bob = await warm.user("bob");
  root = await warm.user("root", "admin");
});
afterAll(async () => {
  await warm[Symbol.asyncDispose]();
  await database.drop();
});

async function list(api: TestApi, user: TestUser, query = "limit=100&trash=include"): Promise<string> {
  const answer = await browserFetch(api.origin, { cookie: user.cookie })(`${api.url}/api/v1/workspaces?${query}`, {});
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return answer.text();
}
const itemsOf = (text: string): WorkspaceSummary[] => (JSON.parse(text) as WorkspaceList).items;
const named = (text: string, id: string): WorkspaceSummary | undefined => itemsOf(text).find((item) => item.id === id);

async function fresh<T>(work: (api: TestApi) => Promise<T>, settings = {}): Promise<T> {
  const cold = await start(settings);
  try {
    return await work(cold);
  } finally {
    await cold[Symbol.asyncDispose]();
  }
}

/** A workspace that stays as it is, and that the server has been asked for. */
async function known(columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { id } = await ada.client.createWorkspace({ body: { name: "still", desired_state: "ARCHIVED" } });
  const seen = { status: false, reason: "r", message: "", last_transition_time: "2026-11-16T10:00:00.000Z" };
  const conditions = { "infra.container_present": seen, "storage.volume_ready": { ...seen, status: true } };
  await set(id, { phase: "ARCHIVED", archive_key: randomUUID(), conditions, ...columns });
  await list(warm, ada);
  return id;
}

async function set(id: string, columns: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(columns);
  const sets = names.map((name, index) => `${name} = $${index + 2}`).join(", ");
  await warm.sql.query(`UPDATE workspaces SET ${sets} WHERE id = $1`, [id, ...Object.values(columns)]);
}

const AT = "2026-11-16T11:00:00.000Z";
const running = { phase: "RUNNING", desired_state: "RUNNING", archive_key: null };
const operating = { operation: "RESTORING", op_epoch: 1, op_id: randomUUID(), op_started_at: AT };
const volume = (status: boolean) => ({
  "storage.volume_ready": { status, reason: "VolumeMissing", message: "", last_transition_time: AT },
});

/** From which row, and what changes of it. */
const changes: readonly [string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>][] = [
  ["name", {}, { name: "another" }],
  ["description", {}, { description: "said" }],
  ["image", {}, { image_ref: "codehub/other:1" }],
  ["desired state", {}, { desired_state: "STANDBY" }],
  ["phase", {}, { phase: "ERROR", error_reason: "ActionFailed" }],
  ["operation", {}, operating],
  ["last access", {}, { last_access_at: AT }],
  ["creation", {}, { created_at: AT }],
  ["home in a volume", {}, { archive_key: null, home_volume: randomUUID() }],
  ["home in an archive", {}, { archive_key: null }],
  ["conditions", { home_volume: randomUUID(), conditions: volume(true) }, { conditions: volume(false) }],
  ["time to live", { ...running, home_volume: randomUUID() }, { standby_ttl_seconds: 7200 }],
  ["kept awake", { ...running, home_volume: randomUUID() }, { keep_awake_until: "2026-11-16T20:00:00.000Z" }],
  ["error", { phase: "ERROR", error_reason: "ActionFailed" }, { error_reason: "DataLost" }],
  ["story of an error", { phase: "ERROR", error_reason: "ActionFailed" }, { error_info: { message: "exit 1" } }],
  ["request", {}, { request: { version: 5, action: { kind: "restart" } } }],
  ["deletion", {}, { deleted_at: AT, desired_state: "DELETED" }],
  ["purge", { deleted_at: AT, desired_state: "DELETED" }, { purge: true }],
  ["end of the trash", { deleted_at: AT, desired_state: "DELETED" }, { expired_at: AT }],
  ["what no list shows", {}, { memo: "but its version" }],
];

async function archive(id: string, created: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const opId = randomUUID();
  const row = { bytes: 10, verified: created, ...more };
  await warm.sql.query(
    `INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count, manifest_digest,
       format_version, created_at, verified_at) VALUES ($1::uuid::text, $2, $1::uuid, 'version', repeat('0', 64), 1, $3, 1, 'm', 1, $4, $5)`,
    [opId, id, row.bytes, created, row.verified],
  );
  return opId;
}

async function expectAnother(id: string, change: () => Promise<unknown>): Promise<WorkspaceSummary | undefined> {
  const before = named(await list(warm, ada), id);
  await change();
  const after = await list(warm, ada);
  expect(named(after, id)).not.toEqual(before);
  expect(after).toBe(await fresh((cold) => list(cold, ada)));
  return named(after, id);
}

describe("a list that was asked for before", () => {
  it.each(changes)("tells at once what changed: %s", async (_, from, to) => {
    const id = await known(from);
    await expectAnother(id, () => set(id, to));
    await warm.sql.query("DELETE FROM workspaces WHERE id = $1", [id]);
  });

  it("follows progress, also when it is told twice within a millisecond", async () => {
    const id = await known(operating);
    const save = (bytes: number) =>
      warm.sql.query(
        `INSERT INTO progress (workspace_id, op_id, stage, done_bytes, done_files, updated_at) VALUES ($1, $2, 'unpacking', $3, 1, $4)
         ON CONFLICT (workspace_id) DO UPDATE SET done_bytes = excluded.done_bytes`,
        [id, operating.op_id, bytes, AT],
      );
    await expectAnother(id, () => save(1));
    expect((await expectAnother(id, () => save(2)))?.progress?.bytes_done).toBe(2);
    await set(id, { operation: "NONE" });
  });

  it("follows archives: a first, a newer one, and what is left when that is given up", async () => {
    const id = await known();
    await expectAnother(id, () => archive(id, "2026-11-16T08:00:00.000Z"));
    let newest = "";
    await expectAnother(id, async () => {
      newest = await archive(id, "2026-11-16T09:00:00.000Z", { bytes: 20 });
    });
    await expectAnother(id, () => warm.sql.query("UPDATE archives SET content_bytes = 30 WHERE key = $1", [newest]));
    await expectAnother(id, () => warm.sql.query("UPDATE archives SET verified_at = $2 WHERE key = $1", [newest, AT]));
    const left = await expectAnother(id, () =>
      warm.sql.query("UPDATE archives SET state = 'orphan' WHERE key = $1", [newest]),
    );
    expect(left?.home_bytes).toBe(10);
  });

  it("follows the clock where that has a say", async () => {
    const id = await known({
      ...{ phase: "RUNNING", desired_state: "STANDBY", archive_key: null, home_volume: randomUUID() },
      ...{ next_attempt_at: "2026-11-16T12:00:05.000Z", home_ctx: { failed_wish: 1, exits: [] } },
      conditions: {
        ...volume(true),
        "infra.container_present": { status: true, reason: "r", message: "", last_transition_time: AT },
        "infra.container_ready": { status: true, reason: "r", message: "", last_transition_time: AT },
      },
    });
    expect(named(await list(warm, ada), id)?.next?.kind).toBe("retry");
    const next = await expectAnother(id, async () => {
      now += 5000;
    });
    expect(next?.next?.kind).toBe("operation_next");
  });

  it("is that of its server's settings", async () => {
    const id = await known({ ...running, home_volume: randomUUID() });
    const other = await fresh((cold) => list(cold, ada), { ttl: { standbyTtlSeconds: 60, archiveTtlSeconds: 60 } });
    expect(named(other, id)?.next).not.toEqual(named(await list(warm, ada), id)?.next);
  });

  it("has nothing of another user, and says whose it is to others only", async () => {
    const id = await known();
    expect(named(await list(warm, root, "owner=all&limit=100"), id)?.owner).toEqual({ username: "ada" });
    expect(named(await list(warm, root, `owner=${ada.id}&limit=100`), id)?.owner).toEqual({ username: "ada" });
    expect(named(await list(warm, ada, "limit=100"), id)).not.toHaveProperty("owner");
    expect(await list(warm, bob, "limit=100")).toBe('{"items":[],"next_cursor":null,"total":0}');
    expect(itemsOf(await list(warm, root, "limit=100"))).toEqual([]);
  });

  it("is not written anew, until there is something else to tell", async () => {
    const id = await known();
    const before = await list(warm, ada);
    let read = 0;
    const { summaries } = warm.deps.views;
    Object.assign(warm.deps.views, {
      summaries: (...args: Parameters<typeof summaries>) => {
        read += args[1].includes(id) ? 1 : 0;
        return summaries.apply(warm.deps.views, args);
      },
    });
    expect(await list(warm, ada)).toBe(before);
    expect(read).toBe(0);
    await set(id, { name: "again" });
    await list(warm, ada);
    expect(read).toBe(1);
  });
});

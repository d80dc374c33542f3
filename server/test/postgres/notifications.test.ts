import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PostgresNotificationSource } from "#adapters/postgres/notification-source.ts";
import type { RequestColumns, VerdictColumns } from "#core/rows/workspace.ts";
import type { LeaderStore } from "#ports/store.ts";
import { draftOf } from "../suites/store-suite.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";
import { recordingLogger } from "./recording-logger.ts";

const CHANNELS = ["ws_sse", "ws_wake", "ws_deleted", "ws_progress", "flush"];
let database: PostgresFixture;
let leader: LeaderStore;
let id: string;
let ownerId: string;
let heard: { channel: string; payload: string }[];
let connections: number;
let ending: AbortController;
let listening: Promise<void>;

beforeEach(async () => {
  database = await openPostgres();
  leader = await database.lead();
  ownerId = await database.owner();
  heard = [];
  connections = 0;
  ending = new AbortController();
  const source = new PostgresNotificationSource(database.url, recordingLogger());
  const listener = {
    connected: () => {
      connections += 1;
    },
    notified: (channel: string, payload: string) => {
      heard.push({ channel, payload });
    },
  };
  listening = source.listen(CHANNELS, listener, ending.signal);
  await expect.poll(() => connections).toBe(1);
  const draft = draftOf(ownerId);
  id = draft.id;
  await database.requestStore.create(draft, () => ({ refuse: null, events: [] }));
  await take();
});

afterEach(async () => {
  ending.abort();
  await listening;
  await database.close();
});

/** What was heard since the last call. Notifications arrive in order, so one of our own tells that all have. */
async function take(): Promise<string[]> {
  const mark = randomUUID();
  await database.admin.query("SELECT pg_notify('flush', $1)", [mark]);
  await expect.poll(() => heard.some(({ payload }) => payload === mark)).toBe(true);
  const taken = heard.filter(({ channel }) => channel !== "flush").map(({ channel }) => channel);
  heard = [];
  return taken.sort();
}

const wish = (write: Partial<RequestColumns>): Promise<null> =>
  database.requestStore.change(id, { countSlots: false }, () => ({ write, events: [], result: null }));
const verdict = (patch: Partial<VerdictColumns>) => leader.mutate(id, () => ({ patch }));
const seen = { status: true, reason: "r", message: "m", lastTransitionTime: 1_000 };

test("a new workspace is shown and wakes the coordinator, with ids and version only", async () => {
  const draft = draftOf(ownerId, { memo: "m".repeat(20_000) });
  await database.requestStore.create(draft, () => ({ refuse: null, events: [] }));
  await expect.poll(() => heard.length).toBe(2);
  for (const { payload } of heard) {
    expect(JSON.parse(payload)).toEqual({ id: draft.id, user_id: ownerId, version: 1 });
  }
  expect(await take()).toEqual(["ws_sse", "ws_wake"]);
});

test("every accepted wish wakes, also a repeated one", async () => {
  await wish({ desiredState: "RUNNING", desiredVersion: 2 });
  expect(await take()).toEqual(["ws_sse", "ws_wake"]);
  await wish({ desiredVersion: 3 });
  expect(await take()).toEqual(["ws_sse", "ws_wake"]);
  await wish({ request: { version: 1, action: { kind: "restart" } } });
  expect(await take()).toEqual(["ws_sse", "ws_wake"]);
});

test("a new name is shown and wakes nobody", async () => {
  await wish({ name: "other" });
  expect(await take()).toEqual(["ws_sse"]);
});

test("a deletion is told as one; adding the purge is not another", async () => {
  await wish({ desiredState: "DELETED", deletedAt: 1_700_000_000_000 });
  expect(await take()).toEqual(["ws_deleted", "ws_sse", "ws_wake"]);
  await wish({ purge: true });
  expect(await take()).toEqual(["ws_sse", "ws_wake"]);
});

test("whatever the coordinator writes, it never wakes itself", async () => {
  const attempt = randomUUID();
  const everything: VerdictColumns = {
    conditions: { "storage.volume_ready": seen },
    phase: "STANDBY",
    phaseChangedAt: 1,
    observedAt: 2,
    operation: "STARTING",
    opStartedAt: 3,
    opId: attempt,
    opEpoch: leader.epoch,
    requestDone: 4,
    expiredAt: null,
    homeVolume: "v",
    archiveKey: "k",
    archiveOpId: attempt,
    endpoint: { containerId: "c", attempt, address: { kind: "unix", path: "/x" } },
    homeCtx: {
      restoreMarker: "k",
      startedImage: "i",
      failedRequest: 1,
      exits: [],
      ended: null,
      sizeBytes: null,
      disk: null,
      setup: null,
    },
    errorReason: "Timeout",
    errorCount: 1,
    errorInfo: null,
    reconcileFailureCount: 1,
    nextAttemptAt: 5,
  };
  for (const [column, value] of Object.entries(everything)) {
    const attemptOfIt = column === "operation" ? { opId: attempt, opEpoch: leader.epoch, opStartedAt: 3 } : {};
    await verdict({ [column]: value, ...attemptOfIt });
  }
  expect(new Set(await take())).toEqual(new Set(["ws_sse"]));
});

test("that somebody looked and saw the same is no news", async () => {
  const ready = { "storage.archive_ready": { ...seen, checkedAt: 1_000 } };
  await verdict({ conditions: ready });
  expect(await take()).toEqual(["ws_sse"]);
  await verdict({ observedAt: 9_000, conditions: { "storage.archive_ready": { ...seen, checkedAt: 8_000 } } });
  expect(await take()).toEqual([]);
});

test("progress of the row's own attempt is told, that of another is dropped", async () => {
  const opId = randomUUID();
  await verdict({ operation: "ARCHIVING", opId, opEpoch: leader.epoch, opStartedAt: 1 });
  await take();
  const progress = { step: "upload", doneBytes: 10, totalBytes: 100, doneFiles: 1, bytesPerSecond: 5 };
  await leader.saveProgress(id, randomUUID(), progress);
  expect(await take()).toEqual([]);
  await leader.saveProgress(id, opId, progress);
  expect(await take()).toEqual(["ws_progress"]);
});

test("a cut connection is made anew and says so", async () => {
  await database.admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'codehub listener'",
  );
  await expect.poll(() => connections, { timeout: 10_000 }).toBe(2);
  await wish({ name: "after" });
  expect(await take()).toEqual(["ws_sse"]);
});

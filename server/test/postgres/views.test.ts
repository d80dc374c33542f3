import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresViews } from "#adapters/postgres/stores/views.ts";
import type { EventLine } from "#core/rows/mutation.ts";
import type { RequestColumns, VerdictColumns } from "#core/rows/workspace.ts";
import type { LeaderStore } from "#ports/store.ts";
import type { EventChoice, ListCursor, ListFilter, WorkspaceView } from "#ports/views.ts";
import { EVERY_EVENT } from "#ports/views.ts";
import { archiveOf, draftOf } from "../suites/store-suite.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

let database: PostgresFixture;
let leader: LeaderStore;
let views: PostgresViews;

beforeAll(async () => {
  database = await openPostgres();
  leader = await database.lead();
  views = new PostgresViews(database.api);
});
afterAll(() => database.close());

const line = (actor: string, kind: string, details: Record<string, unknown> = {}): EventLine => ({
  actor,
  kind,
  from: "STANDBY",
  to: "RUNNING",
  code: "because",
  details,
});

async function create(ownerId: string, name: string, more: Parameters<typeof draftOf>[1] = {}): Promise<string> {
  const draft = draftOf(ownerId, { name, ...more });
  await database.requestStore.create(draft, () => ({ refuse: null, events: [line(ownerId, "create")] }));
  return draft.id;
}
const wish = (id: string, write: Partial<RequestColumns>) =>
  database.requestStore.change(id, { countSlots: false }, () => ({ write, events: [], result: null }));
const verdict = (id: string, patch: Partial<VerdictColumns>, events: EventLine[] = []) =>
  leader.mutate(id, () => ({ patch, events }));

const filterOf = (ownerId: string | null, more: Partial<ListFilter> = {}): ListFilter => ({
  ownerId,
  text: null,
  phases: null,
  trash: "exclude",
  sort: "created_at",
  order: "desc",
  limit: 50,
  after: null,
  ...more,
});

/** Every page, one after the other, as a client walks them. */
async function walk(filter: ListFilter): Promise<WorkspaceView[]> {
  const items: WorkspaceView[] = [];
  let after: ListCursor | null = null;
  do {
    const page = await views.list({ ...filter, after });
    expect(page.items.length).toBeLessThanOrEqual(filter.limit);
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}

test("pages neither skip nor repeat, in every order, also where many rows are alike", async () => {
  const ownerId = await database.owner();
  await create(await database.owner(), "somebody else's");
  const names = ["b", "A", "b", "a", "C", "b", "a", "Ä", "z"];
  const ids: string[] = [];
  for (const [index, name] of names.entries()) {
    const id = await create(ownerId, name);
    ids.push(id);
    await wish(id, { lastAccessAt: 1_700_000_000_000 + (index % 3) });
    await verdict(id, { phase: index % 2 === 0 ? "STANDBY" : "ARCHIVED" });
  }
  const keys: Record<ListFilter["sort"], (view: WorkspaceView) => string | number> = {
    name: ({ row }) => row.name.toLowerCase(),
    created_at: ({ row }) => row.createdAt,
    updated_at: ({ row }) => row.updatedAt,
    last_access_at: ({ row }) => row.lastAccessAt,
    phase: ({ row }) => row.phase,
    owner: ({ ownerName, row }) => `${ownerName} ${row.name.toLowerCase()}`,
  };
  for (const sort of Object.keys(keys) as ListFilter["sort"][]) {
    for (const order of ["asc", "desc"] as const) {
      const items = await walk(filterOf(ownerId, { sort, order, limit: 2 }));
      expect(new Set(items.map((view) => view.row.id)), `${sort} ${order}`).toEqual(new Set(ids));
      expect(items).toHaveLength(ids.length);
      const values = items.map(keys[sort]);
      const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(values, `${sort} ${order}`).toEqual(order === "asc" ? sorted : sorted.reverse());
    }
  }
});

test("owners are told by name, with how many of theirs match, without the trash", async () => {
  const [one, other, third] = [await database.owner(), await database.owner(), await database.owner()];
  for (const name of ["counted alone", "counted too", "not this"]) await create(one, name);
  await create(other, "counted");
  await create(third, "not this either");
  await wish(await create(third, "counted and deleted"), { deletedAt: 1_700_000_000_000, desiredState: "DELETED" });
  const found = await views.owners({ text: "counted", phases: null });
  const count = new Map(found.map(({ id, workspaces }) => [id, workspaces]));
  expect([one, other, third].map((id) => count.get(id))).toEqual([2, 1, undefined]);
  const names = found.map(({ username }) => username);
  expect(names).toEqual(names.toSorted());
  expect(await views.owners({ text: "counted", phases: ["RUNNING"] })).toEqual([]);
});

test("text is found literally in name, description and memo; the total counts every page", async () => {
  const ownerId = await database.owner();
  await create(ownerId, "100% wool");
  await create(ownerId, "plain", { description: "a_b" });
  await create(ownerId, "other", { memo: "with WOOL in it" });
  const found = async (text: string) => (await views.list(filterOf(ownerId, { text, limit: 1 }))).total;
  expect([await found("wool"), await found("%"), await found("_"), await found("nothing")]).toEqual([2, 1, 1, 0]);
});

test("the trash holds what can be taken out or is still being removed", async () => {
  const ownerId = await database.owner();
  const kept = await create(ownerId, "kept");
  const [undoable, expired, purging, purged] = await Promise.all(
    ["undoable", "expired", "purging", "purged"].map((name) => create(ownerId, name)),
  );
  const deleted = { desiredState: "DELETED", deletedAt: 1_700_000_000_000 } as const;
  for (const id of [undoable, expired, purging, purged]) await wish(id ?? "", deleted);
  for (const id of [purging, purged]) await wish(id ?? "", { purge: true });
  for (const id of [undoable, expired, purged]) await verdict(id ?? "", { phase: "DELETED" });
  await verdict(expired ?? "", { expiredAt: 1_700_000_000_000 });
  await verdict(purging ?? "", { phase: "DELETING" });
  const shown = async (trash: ListFilter["trash"]) =>
    new Set((await walk(filterOf(ownerId, { trash }))).map((view) => view.row.id));
  expect(await shown("exclude")).toEqual(new Set([kept]));
  expect(await shown("only")).toEqual(new Set([undoable, purging]));
  expect(await shown("include")).toEqual(new Set([kept, undoable, purging]));
  expect(new Set((await views.ofOwner(ownerId)).map((view) => view.row.id))).toEqual(await shown("include"));
  const purgedView = await views.get(purged ?? "");
  expect(purgedView?.row.phase).toBe("DELETED");
});

test("a view shows its owner, the running attempt's progress and the newest archive that is kept", async () => {
  const ownerId = await database.owner();
  const id = await create(ownerId, "seen");
  const opId = randomUUID();
  await verdict(id, { operation: "ARCHIVING", opId, opEpoch: leader.epoch, opStartedAt: 1 });
  await leader.saveProgress(id, opId, {
    step: "upload",
    doneBytes: 250,
    totalBytes: 1_000,
    doneFiles: 3,
    bytesPerSecond: 100,
  });
  expect((await views.get(id))?.progress?.waiting).toBeNull();
  const waiting = { code: "no_node", fields: { message: "0/3 nodes are available\0" }, since: 1_234 } as const;
  const started = { doneBytes: 250, totalBytes: 1_000, doneFiles: 3, bytesPerSecond: 100 };
  await leader.saveProgress(id, opId, { step: "no_node", ...started, waiting });
  const told = { ...waiting, fields: { message: expect.stringMatching(/^0\/3 nodes are available/) } };
  expect((await views.get(id))?.progress).toMatchObject({ step: "no_node", waiting: told });
  expect((await views.summariesOf(ownerId, [id]))[0]?.progress).toMatchObject({ step: "no_node", waiting: told });
  await leader.saveProgress(id, opId, { step: "upload", ...started });
  expect((await views.get(id))?.progress?.waiting).toBeNull();
  const older = archiveOf(id, { state: "version", createdAt: 1_000 });
  const newest = archiveOf(id, { createdAt: 2_000 });
  await leader.mutate(id, () => ({
    patch: {},
    archives: [older, newest, archiveOf(id, { state: "orphan", createdAt: 3_000 })],
  }));
  const view = await views.get(id);
  expect(view?.ownerName).toMatch(/^user-/);
  expect(view?.progress).toMatchObject({ step: "upload", doneBytes: 250, totalBytes: 1_000, etaSeconds: 8 });
  expect(view?.lastArchive).toEqual(newest);
  expect(await views.archives(id)).toEqual([newest, older]);
  await verdict(id, { operation: "NONE", opId: null, opEpoch: null, opStartedAt: null });
  expect((await views.get(id))?.progress).toBeNull();
  expect(await views.get(randomUUID())).toBeNull();
});

test("history is told newest first, page by page, with who did it", async () => {
  const ownerId = await database.owner();
  const adminId = await database.owner();
  const id = await create(ownerId, "eventful");
  await verdict(id, {}, [{ ...line("coordinator", "operation_started"), to: "STARTING" }]);
  await database.requestStore.change(id, { countSlots: false }, () => ({
    write: {},
    events: [line(adminId, "wish", { note: "nul \0 and half \ud800" })],
    result: null,
  }));
  const all = { ...EVERY_EVENT, workspaceId: id, before: null, skip: 0, limit: 10 };
  const { items, total } = await views.events(all);
  expect(items.map((event) => [event.kind, event.actorKind, event.toPhase, event.operation])).toEqual([
    ["wish", "admin", "RUNNING", null],
    ["operation_started", "coordinator", null, "STARTING"],
    ["create", "user", "RUNNING", null],
  ]);
  expect(total).toBe(3);
  expect(items[0]?.actorName).toMatch(/^user-/);
  expect(items[0]?.details).toEqual({ code: "because", note: "nul \uFFFD and half \uFFFD" });
  const second = await views.events({ ...all, limit: 1, before: items[1]?.id ?? null });
  expect(second.items.map((event) => event.kind)).toEqual(["create"]);
  expect((await views.events({ ...all, actorId: adminId })).total).toBe(1);
  expect((await views.events({ ...all, kind: "create" })).total).toBe(1);
  expect((await views.eventLines({ ...all, skip: 1, limit: 1 })).map((event) => event.kind)).toEqual([
    "operation_started",
  ]);
  expect(items.map((event) => event.workspaceName)).toEqual(["eventful", "eventful", "eventful"]);
  const [newest, , oldest] = items.map((event) => event.at);
  const kindsBetween = async (since: number | null, until: number | null) =>
    (await views.events({ ...all, since, until })).total;
  expect(await kindsBetween((newest ?? 0) + 1, null)).toBe(0);
  expect(await kindsBetween(null, oldest ?? 0)).toBe(0);
  expect(await kindsBetween(oldest ?? 0, (newest ?? 0) + 1)).toBe(3);
});

test("what can be chosen of the history is counted without what is chosen of the same sort", async () => {
  const [ownerId, adminId] = [await database.owner(), await database.owner()];
  const since = Date.now() - 60_000;
  const [one, two] = [await create(ownerId, "first"), await create(ownerId, "second")];
  await verdict(one, {}, [line("coordinator", "seen"), line("ttl", "idle")]);
  await database.requestStore.change(two, { countSlots: false }, () => ({
    ...{ write: {}, result: null },
    events: [line(adminId, "wish")],
  }));
  const facets = async (choice: Partial<EventChoice>) => {
    const { kinds, actors, workspaces } = await views.eventFacets({ ...EVERY_EVENT, since, ...choice });
    return {
      kinds: new Map(kinds.map(({ kind, count }) => [kind, count])),
      actors: new Map(actors.map(({ actorKind, actorId, count }) => [actorId ?? actorKind, count])),
      workspaces: new Map(workspaces.map(({ id, count }) => [id, count])),
    };
  };
  const ofOne = await facets({ workspaceId: one });
  expect(Object.fromEntries(ofOne.kinds)).toEqual({ create: 1, seen: 1, idle: 1 });
  expect(Object.fromEntries(ofOne.actors)).toEqual({ [ownerId]: 1, coordinator: 1, ttl: 1 });
  expect(ofOne.workspaces.get(two)).toBe(2);
  const byAdmin = await facets({ actorId: adminId });
  expect(Object.fromEntries(byAdmin.kinds)).toEqual({ wish: 1 });
  expect(Object.fromEntries(byAdmin.workspaces)).toEqual({ [two]: 1 });
  expect(byAdmin.actors.get(ownerId)).toBe(2);
  const byTimer = await facets({ actorKind: "ttl" });
  expect(Object.fromEntries(byTimer.kinds)).toEqual({ idle: 1 });
  const named = await views.eventFacets({ ...EVERY_EVENT, workspaceId: one });
  expect(named.workspaces.find(({ id }) => id === one)?.name).toBe("first");
  expect(named.actors.find(({ actorId }) => actorId === ownerId)?.actorName).toMatch(/^user-/);
});

test("the fleet in numbers", async () => {
  const ownerId = await database.owner();
  const before = await views.fleet();
  const running = await create(ownerId, "running", { desiredState: "RUNNING" });
  await verdict(running, { phase: "RUNNING" }, [
    line("coordinator", "operation_completed", { operation: "STARTING", duration_ms: 1_000 }),
    line("coordinator", "operation_completed", { operation: "STARTING", duration_ms: 3_000 }),
    line("coordinator", "attempt_failed", { operation: "STARTING" }),
  ]);
  const busy = await create(ownerId, "busy");
  await verdict(busy, { operation: "PROVISIONING", opId: randomUUID(), opEpoch: leader.epoch, opStartedAt: 1 });
  await leader.sampleFleet();
  await leader.saveComponents([{ name: "engine", status: "ok", detail: "" }]);
  const since = (await views.fleet()).components[0]?.since;
  await leader.saveComponents([{ name: "engine", status: "ok", detail: "fine" }]);
  const after = await views.fleet();
  expect(after.counts.RUNNING).toBe(before.counts.RUNNING + 1);
  expect(after.slotsHeld).toBe(before.slotsHeld + 1);
  expect(after.converging).toBe(before.converging + 1);
  expect(after.oldestConvergingMs).toBeGreaterThanOrEqual(0);
  expect(after.samples.at(-1)?.counts).toEqual(after.counts);
  expect(after.operations.find((view) => view.operation === "STARTING")).toEqual({
    operation: "STARTING",
    running: 0,
    finished24h: 2,
    failed24h: 1,
    medianSeconds: 2,
    p95Seconds: 2.9,
  });
  expect(after.operations.find((view) => view.operation === "PROVISIONING")?.running).toBe(1);
  expect(after.components).toEqual([
    { name: "engine", status: "ok", detail: "fine", since, updatedAt: expect.any(Number) },
  ]);
  expect(after.leader).toBeNull();
  await leader.setQuarantine("an older copy");
  expect((await views.fleet()).gc.quarantine).toBe("an older copy");
  // Counting on is no run: only a listing is.
  await leader.nextGeneration();
  expect((await views.fleet()).gc).toMatchObject({ lastRunAt: null, listed: 0, kept: [], ageing: 0, aged: 0 });
  const kept = [{ reason: "trash", count: 3, until: 1_800_000_000_000 }] as const;
  await leader.mark(["young", "old", "gone"]);
  await database.admin.query("UPDATE gc_marks SET marked_at = now() - interval '3 hours' WHERE key <> 'young'");
  await leader.recordListing({ listed: 7, kept });
  await leader.recordRemovals(["gone"]);
  await database.admin.query(
    "INSERT INTO gc_removals (at, removed) VALUES (now() - interval '5 hours', 10), (now() - interval '30 hours', 100)",
  );
  expect((await views.fleet()).gc).toEqual({
    quarantine: "an older copy",
    lastRunAt: expect.any(Number),
    listed: 7,
    kept,
    ageing: 1,
    aged: 1,
    removedSinceRun: 1,
    removed24h: 11,
  });
  const holders = await views.slotHolders(ownerId);
  expect(holders.map((holder) => holder.id)).toEqual([running]);
  expect(await views.firstOwner()).not.toBeNull();
  await views.ping();
});

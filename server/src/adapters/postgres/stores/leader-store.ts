import { setImmediate as giveWay } from "node:timers/promises";
import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { toDate, toJson } from "#adapters/postgres/json.ts";
import { lockEpoch } from "#adapters/postgres/queries/deployment/lock-epoch.ts";
import { pruneRemovals } from "#adapters/postgres/queries/deployment/prune-removals.ts";
import { recordListing } from "#adapters/postgres/queries/deployment/record-listing.ts";
import { recordRemovals } from "#adapters/postgres/queries/deployment/record-removals.ts";
import { deleteMarks } from "#adapters/postgres/queries/garbage/delete-marks.ts";
import { deleteRemovedArchives } from "#adapters/postgres/queries/garbage/delete-removed-archives.ts";
import { deleteUnchangedMarks } from "#adapters/postgres/queries/garbage/delete-unchanged-marks.ts";
import { insertMarks } from "#adapters/postgres/queries/garbage/insert-marks.ts";
import { listAgedMarks } from "#adapters/postgres/queries/garbage/list-aged-marks.ts";
import { listMarks } from "#adapters/postgres/queries/garbage/list-marks.ts";
import { listReapable } from "#adapters/postgres/queries/garbage/list-reapable.ts";
import { markPurged } from "#adapters/postgres/queries/garbage/mark-purged.ts";
import { orphanArchive } from "#adapters/postgres/queries/garbage/orphan-archive.ts";
import { postponeMark } from "#adapters/postgres/queries/garbage/postpone-mark.ts";
import { readMark } from "#adapters/postgres/queries/garbage/read-mark.ts";
import { restartMarks } from "#adapters/postgres/queries/garbage/restart-marks.ts";
import { listVolumeNames } from "#adapters/postgres/queries/records/list-volume-names.ts";
import { readArchivesByKey } from "#adapters/postgres/queries/records/read-archives-by-key.ts";
import { readArchivesOf } from "#adapters/postgres/queries/records/read-archives-of.ts";
import { readClock } from "#adapters/postgres/queries/records/read-clock.ts";
import { readPort } from "#adapters/postgres/queries/records/read-port.ts";
import { readSetup } from "#adapters/postgres/queries/records/read-setup.ts";
import { readVolumesOf } from "#adapters/postgres/queries/records/read-volumes-of.ts";
import { releasePorts } from "#adapters/postgres/queries/records/release-ports.ts";
import { reservePort } from "#adapters/postgres/queries/records/reserve-port.ts";
import { saveProgress } from "#adapters/postgres/queries/records/save-progress.ts";
import { saveSetup } from "#adapters/postgres/queries/records/save-setup.ts";
import { upsertArchive } from "#adapters/postgres/queries/records/upsert-archive.ts";
import { upsertVolume } from "#adapters/postgres/queries/records/upsert-volume.ts";
import { listArchivesUnchecked } from "#adapters/postgres/queries/workspaces/list-archives-unchecked.ts";
import { listExpirable } from "#adapters/postgres/queries/workspaces/list-expirable.ts";
import { listUnsettled } from "#adapters/postgres/queries/workspaces/list-unsettled.ts";
import { listWithResources } from "#adapters/postgres/queries/workspaces/list-with-resources.ts";
import { lockWorkspace } from "#adapters/postgres/queries/workspaces/lock-workspace.ts";
import { noteSeen } from "#adapters/postgres/queries/workspaces/note-seen.ts";
import { readWorkspace } from "#adapters/postgres/queries/workspaces/read-workspace.ts";
import { readWorkspaces } from "#adapters/postgres/queries/workspaces/read-workspaces.ts";
import { writeVerdict } from "#adapters/postgres/queries/workspaces/write-verdict.ts";
import { toArchive } from "#adapters/postgres/rows/archive-row.ts";
import { fromWaiting } from "#adapters/postgres/rows/view-row.ts";
import { fromConditions, toWorkspace, verdictParams } from "#adapters/postgres/rows/workspace-row.ts";
import { all, count, first, one, type Queryable } from "#adapters/postgres/statement.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Decide, EventLine, Mutation } from "#core/rows/mutation.ts";
import { parseArchiveKey } from "#core/rows/names.ts";
import type { ArchiveRecord, Ms, VolumeRecord, Workspace } from "#core/rows/workspace.ts";
import type { KeptCount } from "#core/rules/gc.ts";
import type { UsageSample } from "#core/rules/usage.ts";
import { OperationFailure } from "#ports/failure.ts";
import {
  type ArchiveWithRow,
  type Bound,
  type ComponentSeen,
  type Deployment,
  type GiveUpFacts,
  type KeptSetup,
  type LeaderStore,
  type MarkVerdict,
  NotLeader,
  type PortRange,
  type Progress,
  type ReapCandidate,
  type SeenRow,
} from "#ports/store.ts";
import { DeploymentFacts } from "./deployment-facts.ts";
import { insertLines } from "./history.ts";
import { UsageWriter } from "./usage-writer.ts";

/** A port may be taken between looking and reserving by another transaction of this leader; it finds another one. */
const PORT_TRIES = 20;
/** Rows that are made of what the database says before anything else has its turn. */
const READ_AT_ONCE = 250;

export class PostgresLeaderStore implements LeaderStore {
  readonly epoch: number;
  readonly #pool: pg.Pool;
  readonly #facts: DeploymentFacts;
  readonly #usage: UsageWriter;

  constructor(pool: pg.Pool, epoch: number) {
    this.epoch = epoch;
    this.#pool = pool;
    this.#facts = new DeploymentFacts(pool, (work) => this.#fenced(work));
    this.#usage = new UsageWriter((work) => this.#fenced(work));
  }

  /** Every write goes through here: while the transaction is open no newer epoch can be minted. */
  #fenced<R>(work: (tx: Queryable) => Promise<R>): Promise<R> {
    return inTransaction(this.#pool, async (tx) => {
      if ((await first(tx, lockEpoch, { epoch: this.epoch })) === null) {
        throw new NotLeader(`Epoch ${this.epoch} is over: another coordinator leads. Nothing was written.`);
      }
      return await work(tx);
    });
  }

  async read(id: string): Promise<Workspace | null> {
    const row = await first(this.#pool, readWorkspace, { id });
    return row === null ? null : toWorkspace(row);
  }

  async readMany(ids: readonly string[]): Promise<Workspace[]> {
    return (await all(this.#pool, readWorkspaces, { ids })).map(toWorkspace);
  }

  mutate(id: string, decide: Decide): Promise<Workspace | null> {
    return this.#fenced(async (tx) => {
      const locked = await first(tx, lockWorkspace, { id });
      if (locked === null) {
        return null;
      }
      const row = toWorkspace(locked);
      const archives = (await all(tx, readArchivesOf, { workspaceId: id })).map(toArchive);
      const volumes = await all(tx, readVolumesOf, { workspaceId: id });
      const { now } = await one(tx, readClock, {});
      const mutation = decide({ row, archives, volumes, now });
      return mutation === null ? null : await apply(tx, row, mutation);
    });
  }

  async listUnsettled(limit: number): Promise<string[]> {
    return ids(await all(this.#pool, listUnsettled, { limit }));
  }

  async listWithResources(): Promise<Workspace[]> {
    const found: Workspace[] = [];
    for (const row of await all(this.#pool, listWithResources, {})) {
      // Thousands of them: whatever else is ready, such as an answer that a lease waits for, has its turn in between.
      if (found.length % READ_AT_ONCE === READ_AT_ONCE - 1) await giveWay();
      found.push(toWorkspace(row));
    }
    return found;
  }

  async noteSeen(rows: readonly SeenRow[]): Promise<void> {
    const versions = rows.map(({ rowVersion }) => rowVersion);
    const conditions = rows.map((row) => (row.conditions === null ? "" : toJson(fromConditions(row.conditions))));
    await this.#fenced((tx) => count(tx, noteSeen, { ids: ids(rows), versions, conditions }));
  }

  async listArchivesUnchecked(before: Ms, limit: number): Promise<string[]> {
    return ids(await all(this.#pool, listArchivesUnchecked, { before: isoTime(before), limit }));
  }

  async listExpirable(retentionMs: number, limit: number): Promise<string[]> {
    return ids(await all(this.#pool, listExpirable, { retentionMs, limit }));
  }

  async saveProgress(id: string, opId: string, progress: Progress): Promise<void> {
    const waiting = progress.waiting === undefined ? null : fromWaiting(progress.waiting);
    await this.#fenced((tx) => count(tx, saveProgress, { id, opId, ...progress, waiting }));
  }

  async saveSetup(id: string, { version, log, plan }: KeptSetup): Promise<void> {
    const stored = plan === null ? null : toJson(plan);
    await this.#fenced((tx) => count(tx, saveSetup, { id, version, log, plan: stored }));
  }

  readSetup(id: string): Promise<(KeptSetup & { readonly allowed: boolean }) | null> {
    return first(this.#pool, readSetup, { id });
  }

  async reservePort(id: string, attempt: string, range: PortRange): Promise<number> {
    for (let tries = 0; tries < PORT_TRIES; tries += 1) {
      const port = await this.#fenced(async (tx) => {
        const kept = await first(tx, readPort, { attempt });
        return kept ?? (await first(tx, reservePort, { id, attempt, ...range }));
      });
      if (port !== null) {
        return port.port;
      }
    }
    throw new OperationFailure("ActionFailed", `No host port between ${range.from} and ${range.to} is free.`);
  }

  async releasePorts(id: string, except: string | null): Promise<void> {
    await this.#fenced((tx) => count(tx, releasePorts, { id, except }));
  }

  async listReapable(graceMs: number, limit: number): Promise<ReapCandidate[]> {
    const volumes = await all(this.#pool, listReapable, { graceMs, limit });
    const rows = await this.#rowsById(volumes.map((volume) => volume.workspaceId));
    return volumes.map((volume) => ({ volume, row: rows.get(volume.workspaceId) ?? null }));
  }

  async listVolumeNames(): Promise<string[]> {
    return (await all(this.#pool, listVolumeNames, {})).map((row) => row.name);
  }

  async listMarks(): Promise<Map<string, Ms>> {
    return new Map((await all(this.#pool, listMarks, {})).map((row) => [row.key, row.marked_at]));
  }

  async mark(keys: readonly string[]): Promise<void> {
    await this.#fenced((tx) => count(tx, insertMarks, { keys }));
  }

  async markPurged(): Promise<void> {
    await this.#fenced((tx) => count(tx, markPurged, {}));
  }

  async unmark(marks: ReadonlyMap<string, Ms>): Promise<void> {
    const times = [...marks.values()].map((at) => new Date(at));
    await this.#fenced((tx) => count(tx, deleteUnchangedMarks, { keys: [...marks.keys()], times }));
  }

  async listAgedMarks(ageMs: number, limit: number): Promise<string[]> {
    return (await all(this.#pool, listAgedMarks, { ageMs, limit })).map((row) => row.key);
  }

  async readArchives(keys: readonly string[]): Promise<ArchiveWithRow[]> {
    const records = new Map(
      (await all(this.#pool, readArchivesByKey, { keys })).map((row) => [row.key, toArchive(row)]),
    );
    const rows = await this.#rowsById(keys.flatMap((key) => parseArchiveKey(key)?.workspaceId ?? []));
    return keys.map((key) => ({
      key,
      record: records.get(key) ?? null,
      row: rows.get(parseArchiveKey(key)?.workspaceId ?? "") ?? null,
    }));
  }

  giveUpArchive(key: string, retryMs: number, decide: (facts: GiveUpFacts) => MarkVerdict): Promise<MarkVerdict> {
    return this.#fenced(async (tx) => {
      const id = parseArchiveKey(key)?.workspaceId;
      const locked = id === undefined ? null : await first(tx, lockWorkspace, { id });
      const row = locked === null ? null : toWorkspace(locked);
      const record = (await all(tx, readArchivesByKey, { keys: [key] })).map(toArchive)[0] ?? null;
      const mark = await first(tx, readMark, { key });
      const { now } = await one(tx, readClock, {});
      const verdict = decide({ key, row, record, markedAt: mark?.marked_at ?? null, now });
      if (verdict === "unmark") await count(tx, deleteMarks, { keys: [key] });
      if (verdict === "remove") {
        await count(tx, orphanArchive, { key });
        await count(tx, postponeMark, { key, retryMs });
        if (mark === null || mark.retry_at === null) await insertLines(tx, row, [givenUp(key)]);
      }
      return verdict;
    });
  }

  async recordRemovals(keys: readonly string[]): Promise<void> {
    await this.#fenced(async (tx) => {
      await count(tx, deleteMarks, { keys });
      await count(tx, deleteRemovedArchives, { keys });
      await count(tx, recordRemovals, { removed: keys.length });
      await count(tx, pruneRemovals, {});
    });
  }

  async recordListing({ listed, kept }: { listed: number; kept: readonly KeptCount[] }): Promise<void> {
    await this.#fenced((tx) => count(tx, recordListing, { listed, kept: JSON.stringify(kept) }));
  }

  deployment(): Promise<Deployment> {
    return this.#facts.read();
  }

  bindDeployment(found: Bound): Promise<Deployment> {
    return this.#facts.bind(found);
  }

  nextGeneration(): Promise<number> {
    return this.#facts.nextGeneration();
  }

  setQuarantine(reason: string | null): Promise<void> {
    return this.#facts.setQuarantine(reason);
  }

  sampleFleet(): Promise<void> {
    return this.#facts.sampleFleet();
  }

  saveUsage(samples: readonly UsageSample[]): Promise<void> {
    return this.#usage.save(samples);
  }

  thinUsage(keptMs: Ms): Promise<void> {
    return this.#usage.thin(keptMs);
  }

  forgetUsageOfDeleted(): Promise<void> {
    return this.#usage.forgetDeleted();
  }

  saveComponents(components: readonly ComponentSeen[]): Promise<void> {
    return this.#facts.saveComponents(components);
  }

  async #rowsById(wanted: readonly string[]): Promise<Map<string, Workspace>> {
    return new Map((await this.readMany([...new Set(wanted)])).map((row) => [row.id, row]));
  }
}

const ids = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id);

const givenUp = (key: string): EventLine => ({
  actor: "coordinator",
  kind: "archive_given_up",
  from: null,
  to: null,
  code: "unprotected",
  details: { key },
});

async function apply(tx: Queryable, row: Workspace, mutation: Mutation): Promise<Workspace> {
  const changed = Object.keys(mutation.patch).length > 0;
  const after = changed
    ? toWorkspace(await one(tx, writeVerdict, { id: row.id, ...verdictParams({ ...row, ...mutation.patch }) }))
    : row;
  for (const volume of currentLast(mutation.volumes ?? [])) {
    await count(tx, upsertVolume, { ...volume, retiredAt: toDate(volume.retiredAt) });
  }
  for (const { facts, ...archive } of currentLast(mutation.archives ?? [])) {
    const [createdAt, verifiedAt] = [new Date(archive.createdAt), new Date(archive.verifiedAt)];
    await count(tx, upsertArchive, {
      ...archive,
      ...facts,
      createdAt,
      verifiedAt,
      keepUntil: toDate(archive.keepUntil),
    });
  }
  if (mutation.marks !== undefined) await count(tx, restartMarks, mutation.marks);
  await insertLines(tx, row, mutation.events ?? []);
  return after;
}

/** A workspace has one current volume and one current archive at most: the old one steps down before the new one steps up. */
function currentLast<R extends VolumeRecord | ArchiveRecord>(records: readonly R[]): R[] {
  return [...records].sort((a, b) => Number(a.state === "current") - Number(b.state === "current"));
}

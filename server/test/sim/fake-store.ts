import { archiveKey } from "#core/rows/names.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { isSettled } from "#core/rules/plan.ts";
import {
  type ArchiveWithRow,
  type LeaderStore,
  NotLeader,
  type ReapCandidate,
  type RequestStore,
  type WorkspaceReader,
} from "#ports/store.ts";
import { ConstraintViolation, type Database, hasResources } from "./database.ts";
import type { SimProcess } from "./process.ts";
import type { Sim } from "./sim.ts";

/** A planted bug may lift the fence; nothing else does. */
export interface StoreOptions {
  readonly fence: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Access {
  readonly sim: Sim;
  readonly db: Database;
  readonly process: SimProcess;
}

function reader({ sim, db, process }: Access, onRead: (id: string) => void = () => undefined): WorkspaceReader {
  const row = (id: string): Workspace | null => {
    onRead(id);
    return db.rows.get(id) ?? null;
  };
  return {
    read: (id) =>
      sim.call({ process, port: "database", name: "read", about: short(id), reads: true, effect: () => row(id) }),
    readMany: (ids) =>
      sim.call({
        process,
        port: "database",
        name: "readMany",
        about: `${ids.length} rows`,
        reads: true,
        effect: () => ids.map(row).filter((found) => found !== null),
      }),
  };
}

const short = (id: string): string => id.slice(0, 4);

/** The leader's store over the fake tables. Each method is one statement or transaction; writes pass the fence. */
export function leaderStore(access: Access, epoch: number, options: StoreOptions): LeaderStore {
  const { sim, db, process } = access;
  const by = process.name;

  const read = <T>(name: string, effect: () => T): Promise<T> =>
    sim.call({ process, port: "database", name, about: "", reads: true, effect });
  const write = <T>(name: string, about: string, effect: () => T): Promise<T> =>
    sim.call({
      process,
      port: "database",
      name,
      about,
      reads: false,
      effect: () => {
        if (options.fence && db.epoch !== epoch) {
          sim.sometimes("fence: a deposed leader's write was refused");
          throw new NotLeader(`epoch ${epoch} is over, ${db.epoch} leads`);
        }
        return reportMistakes(sim, effect);
      },
    });
  const withRow = (key: string): ArchiveWithRow => {
    const record = db.archives.get(key) ?? null;
    const row = db.rows.get(record?.workspaceId ?? key.slice(0, 36)) ?? null;
    return { key, record, row };
  };

  return {
    epoch,
    ...reader(access),
    mutate: (id, decide) =>
      write("mutate", short(id), () => {
        const row = db.rows.get(id);
        if (row === undefined) return null;
        const mutation = decide({ row, archives: db.archivesOf(id), volumes: db.volumesOf(id), now: db.now });
        return mutation === null ? null : db.apply(row, mutation, epoch, by);
      }),
    listUnsettled: (limit) =>
      read("listUnsettled", () =>
        [...db.rows.values()]
          .filter((row) => !isSettled(row))
          .slice(0, limit)
          .map((row) => row.id),
      ),
    listWithResources: () => read("listWithResources", () => [...db.rows.values()].filter(hasResources)),
    noteSeen: (rows) =>
      write("noteSeen", String(rows.length), () => {
        for (const { id, rowVersion, conditions } of rows) {
          const row = db.rows.get(id);
          if (row?.rowVersion !== rowVersion) continue;
          const patch = { observedAt: db.now, ...(conditions === null ? {} : { conditions }) };
          db.apply(row, { patch, events: [] }, epoch, by);
        }
      }),
    listArchivesUnchecked: (before, limit) =>
      read("listArchivesUnchecked", () =>
        [...db.rows.values()]
          .filter((row) => row.deletedAt === null && row.homeVolume === null && row.archiveKey !== null)
          .map((row) => ({ id: row.id, at: row.conditions["storage.archive_ready"]?.checkedAt ?? 0 }))
          .filter(({ at }) => at < before)
          .sort((a, b) => a.at - b.at)
          .slice(0, limit)
          .map(({ id }) => id),
      ),
    listExpirable: (retentionMs, limit) =>
      read("listExpirable", () =>
        [...db.rows.values()]
          .filter((row) => row.deletedAt !== null && row.expiredAt === null && db.now - row.deletedAt > retentionMs)
          .slice(0, limit)
          .map((row) => row.id),
      ),
    saveProgress: (id, opId, progress) =>
      write("saveProgress", `${short(id)} ${progress.step}`, () => {
        if (db.rows.get(id)?.opId === opId) db.progress.set(id, progress);
        else sim.sometimes("progress: of an attempt that is over was dropped");
      }),
    saveSetup: (id) => write("saveSetup", short(id), () => undefined),
    readSetup: () => read("readSetup", () => null),
    reservePort: (id, attempt, range) =>
      write("reservePort", short(id), () => {
        for (const [port, holder] of db.ports) if (holder.attempt === attempt) return port;
        for (let port = range.from; port <= range.to; port++) {
          if (db.ports.has(port)) continue;
          db.ports.set(port, { id, attempt });
          return port;
        }
        throw new Error("no free host port");
      }),
    releasePorts: (id, except) =>
      write("releasePorts", short(id), () => {
        for (const [port, holder] of db.ports) {
          if (holder.id === id && holder.attempt !== except) db.ports.delete(port);
        }
      }),
    listReapable: (graceMs, limit) =>
      read("listReapable", () =>
        [...db.volumes.values()]
          .filter((volume) => volume.state === "retired" && db.now - (volume.retiredAt ?? 0) >= graceMs)
          .sort((a, b) => (a.retiredAt ?? 0) - (b.retiredAt ?? 0))
          .slice(0, limit)
          .map((volume): ReapCandidate => ({ volume, row: db.rows.get(volume.workspaceId) ?? null })),
      ),
    listVolumeNames: () =>
      read("listVolumeNames", () =>
        [...db.volumes.values()].filter((volume) => volume.state !== "gone").map((volume) => volume.name),
      ),
    listMarks: () => read("listMarks", () => new Map([...db.marks].map(([key, { markedAt }]) => [key, markedAt]))),
    mark: (keys) =>
      write("mark", `${keys.length} objects`, () => {
        for (const key of keys)
          if (!db.marks.has(key)) db.marks.set(key, { markedAt: db.now, urgent: false, retryAt: null });
      }),
    markPurged: () =>
      write("markPurged", "", () => {
        const purged = [...db.rows.values()].filter(
          (row) => row.purge && row.operation === "NONE" && row.archiveKey === null && row.homeVolume === null,
        );
        for (const row of purged) {
          const age = db.now - row.updatedAt;
          const records = age < DAY_MS ? db.archivesOf(row.id).map((record) => record.key) : [];
          const upload = age < HOUR_MS && row.archiveOpId !== null ? [archiveKey(row.id, row.archiveOpId)] : [];
          for (const key of [...records, ...upload])
            if (!db.marks.has(key)) db.marks.set(key, { markedAt: db.now, urgent: true, retryAt: null });
        }
      }),
    unmark: (marks) =>
      write("unmark", `${marks.size} objects`, () => {
        for (const [key, markedAt] of marks) if (db.marks.get(key)?.markedAt === markedAt) db.marks.delete(key);
      }),
    listAgedMarks: (ageMs, limit) => read("listAgedMarks", () => agedMarks(db, ageMs, limit)),
    readArchives: (keys) => read("readArchives", () => keys.map(withRow)),
    giveUpArchive: (key, retryMs, decide) =>
      write("giveUpArchive", key.slice(0, 45), () => {
        const { record, row } = withRow(key);
        const mark = db.marks.get(key);
        const verdict = decide({ key, record, row, markedAt: mark?.markedAt ?? null, now: db.now });
        if (verdict === "unmark") db.marks.delete(key);
        if (verdict !== "remove") return verdict;
        if (record !== null) db.setArchive({ ...record, state: "orphan", keepUntil: null });
        if (mark !== undefined) db.marks.set(key, { ...mark, retryAt: db.now + retryMs });
        return verdict;
      }),
    recordRemovals: (keys) =>
      write("recordRemovals", `${keys.length} objects`, () => {
        for (const key of keys) {
          db.marks.delete(key);
          db.removeOrphan(key);
        }
      }),
    recordListing: ({ listed }) => write("recordListing", `${listed} objects`, () => undefined),
    deployment: () => read("deployment", () => db.deployment),
    bindDeployment: (found) =>
      write("bindDeployment", found.engineId ?? "", () => {
        const { runtimeKind, engineId, storeId } = db.deployment;
        db.deployment = {
          ...db.deployment,
          runtimeKind: runtimeKind ?? found.runtimeKind,
          engineId: engineId ?? found.engineId,
          storeId: storeId ?? found.storeId,
        };
        return db.deployment;
      }),
    nextGeneration: () =>
      write("nextGeneration", "", () => {
        db.deployment = { ...db.deployment, gcGeneration: db.deployment.gcGeneration + 1 };
        return db.deployment.gcGeneration;
      }),
    setQuarantine: (reason) =>
      write("setQuarantine", String(reason), () => {
        db.deployment = { ...db.deployment, quarantine: reason };
      }),
    sampleFleet: () => write("sampleFleet", "", () => undefined),
    saveUsage: (samples) =>
      write("saveUsage", `${samples.length} samples`, () => {
        db.usage.push({ at: db.now, samples });
      }),
    thinUsage: () => write("thinUsage", "", () => undefined),
    forgetUsageOfDeleted: () => write("forgetUsageOfDeleted", "", () => undefined),
    saveComponents: (components) => write("saveComponents", `${components.length} parts`, () => undefined),
  };
}

/** The API's side of the same tables. `onRead` tells the oracle from which moment a decision's knowledge is. */
export function requestStore(access: Access, onRead: (id: string | null) => void = () => undefined): RequestStore {
  const { sim, db, process } = access;
  const by = process.name;
  const write = <T>(name: string, about: string, effect: () => T): Promise<T> =>
    sim.call({
      process,
      port: "database",
      name,
      about,
      reads: false,
      effect: () => reportMistakes(sim, effect),
    });
  return {
    ...reader(access, onRead),
    change: (id, { countSlots }, decide) =>
      write("change", short(id), () => {
        const row = db.rows.get(id) ?? null;
        const slots = countSlots && row !== null ? db.slots(row) : { ofOwner: 0, global: 0 };
        const decision = decide({ row, now: db.now, slots });
        if (decision.write !== null && row !== null) db.wish(row, decision.write, decision.events, by);
        return decision.result;
      }),
    create: (draft, decide) =>
      write("create", short(draft.id), () => {
        const decision = decide({ slots: db.slots(draft), now: db.now });
        if (!("events" in decision)) return { refused: decision.refuse };
        return { row: db.insert(draft, decision.events, by) };
      }),
    allowCommands: async () => {},
    listIdleCandidates: (defaults, limit) =>
      sim.call({
        process,
        port: "database",
        name: "listIdleCandidates",
        about: "",
        reads: true,
        effect: () => {
          onRead(null);
          return idleCandidates(db, defaults, limit);
        },
      }),
    longestStandbyTtlSeconds: (defaultSeconds) =>
      sim.call({
        process,
        port: "database",
        name: "longestStandbyTtlSeconds",
        about: "",
        reads: true,
        effect: () =>
          [...db.rows.values()]
            .filter((row) => row.deletedAt === null)
            .reduce((longest, row) => Math.max(longest, row.standbyTtlSeconds ?? 0), defaultSeconds),
      }),
    touch: (accesses) =>
      write("touch", `${accesses.size} rows`, () => {
        for (const [id, at] of accesses) {
          const row = db.rows.get(id);
          const clamped = Math.min(at, db.now);
          if (row !== undefined && clamped > row.lastAccessAt) db.wish(row, { lastAccessAt: clamped }, [], by);
        }
      }),
  };
}

/** The urgent first, then the rest, each in the order in which they were marked. */
function agedMarks(db: Database, ageMs: number, limit: number): string[] {
  const keys: string[] = [];
  for (const wanted of [true, false]) {
    for (const [key, { markedAt, urgent, retryAt }] of db.marks) {
      if (keys.length >= limit || db.now - markedAt < ageMs) break;
      if (urgent === wanted && (retryAt === null || retryAt <= db.now)) keys.push(key);
    }
  }
  return keys;
}

/** What the partial index holds: a met request, no operation, and the shortest time since the phase changed. */
function idleCandidates(
  db: Database,
  defaults: { standbyTtlSeconds: number; archiveTtlSeconds: number },
  limit: number,
): string[] {
  return [...db.rows.values()]
    .filter((row) => {
      if (row.deletedAt !== null || row.operation !== "NONE" || row.phase !== row.desiredState) return false;
      if (row.phase === "RUNNING") {
        const ttl = row.standbyTtlSeconds ?? defaults.standbyTtlSeconds;
        const since = Math.max(row.lastAccessAt, row.phaseChangedAt, row.keepAwakeUntil ?? 0);
        return ttl > 0 && db.now - since > ttl * 1000;
      }
      const ttl = row.archiveTtlSeconds ?? defaults.archiveTtlSeconds;
      return row.phase === "STANDBY" && ttl > 0 && db.now - row.phaseChangedAt > ttl * 1000;
    })
    .slice(0, limit)
    .map((row) => row.id);
}

/** A broken constraint is a finding by itself: the statement would fail the same way on every retry. */
function reportMistakes<T>(sim: Sim, effect: () => T): T {
  try {
    return effect();
  } catch (error) {
    if (error instanceof ConstraintViolation) sim.violate("SCHEMA", error.message);
    throw error;
  }
}

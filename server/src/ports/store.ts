import type { Slots } from "#core/requests/limits.ts";
import type { Conditions } from "#core/rows/condition.ts";
import type { Decide, EventLine } from "#core/rows/mutation.ts";
import type { ArchiveRecord, Ms, RequestColumns, VolumeRecord, Workspace } from "#core/rows/workspace.ts";
import type { KeptCount } from "#core/rules/gc.ts";
import type { UsageSample } from "#core/rules/usage.ts";
import type { ReadSetup } from "#core/setup/devcontainer.ts";
import type { StartWaiting } from "./runtime.ts";

/** The session's epoch is not the newest any more: nothing was written. Whoever gets this stops at once. */
export class NotLeader extends Error {
  override readonly name = "NotLeader";
}

/**
 * The coordinator's side of the database. Every write is one transaction that first locks the leader row at its own
 * epoch (else NotLeader). A rejected promise means "unknown": it may have been applied; re-read before deciding.
 */
export interface LeaderStore extends WorkspaceReader {
  readonly epoch: number;

  /**
   * Locks the row, reads it with its archives and volumes and the database's clock, lets the pure function decide,
   * applies the mutation with its history lines, commits. Resolves to the row as it is after the commit, or null when
   * the function declined or the row does not exist. An empty patch writes nothing but the records and lines.
   */
  readonly mutate: (id: string, decide: Decide) => Promise<Workspace | null>;

  /** Ids that are not settled (core `isSettled`), by partial index; the price follows their number, not the table's. */
  readonly listUnsettled: (limit: number) => Promise<string[]>;
  /** Rows that should have something on the engine: a volume or an endpoint. */
  readonly listWithResources: () => Promise<Workspace[]>;
  /**
   * Notes that these were looked at just now, and were as they say or as the given conditions do; one that changed since it
   * was read is left alone. Many in one go, because there are thousands of them.
   */
  readonly noteSeen: (rows: readonly SeenRow[]) => Promise<void>;
  /** Archived rows whose archive was not looked at since `before`, oldest first. */
  readonly listArchivesUnchecked: (before: Ms, limit: number) => Promise<string[]>;
  /** Deleted rows whose retention is past and that are not marked expired. */
  readonly listExpirable: (retentionMs: number, limit: number) => Promise<string[]>;

  /** At most once a second per workspace; progress of an attempt that is not the row's any more is dropped. */
  readonly saveProgress: (id: string, opId: string, progress: Progress) => Promise<void>;

  /** What git said when a repository was got and what its own set-up file means, in place of what was kept before. */
  readonly saveSetup: (id: string, kept: KeptSetup) => Promise<void>;
  /** The same again, and whether this owner has agreed to its commands; null where nothing was kept. */
  readonly readSetup: (id: string) => Promise<(KeptSetup & { readonly allowed: boolean }) | null>;

  /** Reserves a free host port in the range for this attempt; the same attempt gets the same port again. */
  readonly reservePort: (id: string, attempt: string, range: PortRange) => Promise<number>;
  /** Only after the containers of this workspace are positively gone. `except` keeps one attempt's port. */
  readonly releasePorts: (id: string, except: string | null) => Promise<void>;

  /** Retired volumes whose grace is over, oldest first, with their workspace's row. */
  readonly listReapable: (graceMs: number, limit: number) => Promise<ReapCandidate[]>;
  /** Volumes on record that are not gone: what is labelled ours but not here is a stranger and only reported. */
  readonly listVolumeNames: () => Promise<string[]>;

  /** Marks of garbage collection: when an unprotected object was first seen. */
  readonly listMarks: () => Promise<Map<string, Ms>>;
  readonly mark: (keys: readonly string[]) => Promise<void>;
  /** Marks, as urgent, what is still on record of workspaces that were purged and lead to nothing any more. */
  readonly markPurged: () => Promise<void>;
  /** Takes marks away that still have the given time; one that was set anew meanwhile stays. */
  readonly unmark: (marks: ReadonlyMap<string, Ms>) => Promise<void>;
  /** Objects marked at least so long ago, the urgent ones first, then the oldest; none that is to be tried again later. */
  readonly listAgedMarks: (ageMs: number, limit: number) => Promise<string[]>;
  /** Archives on record by key, for keys that the store listed. */
  readonly readArchives: (keys: readonly string[]) => Promise<ArchiveWithRow[]>;
  /**
   * In one transaction: locks the row (if any), reads record and mark, lets the function decide, and commits. "remove"
   * turns the record into an orphan and writes a history line the first time; the mark stays, and is not listed as aged
   * for `retryMs`. "unmark" takes the mark away, "wait" leaves everything. Resolves to the decision.
   */
  readonly giveUpArchive: (
    key: string,
    retryMs: number,
    decide: (facts: GiveUpFacts) => MarkVerdict,
  ) => Promise<MarkVerdict>;
  /** These objects are gone from the store: their records and marks go, and they are counted. */
  readonly recordRemovals: (keys: readonly string[]) => Promise<void>;
  /** The store was listed. */
  readonly recordListing: (seen: { readonly listed: number; readonly kept: readonly KeptCount[] }) => Promise<void>;

  /** Facts about this deployment that were recorded at first start. */
  readonly deployment: () => Promise<Deployment>;
  /** Records engine and store where they are not recorded yet (null: did not answer now); resolves to what is recorded. */
  readonly bindDeployment: (found: Bound) => Promise<Deployment>;
  /** Counts on; resolves to the new generation. */
  readonly nextGeneration: () => Promise<number>;
  readonly setQuarantine: (reason: string | null) => Promise<void>;

  /** Fleet picture: one sample of counts per phase, kept for a while. */
  readonly sampleFleet: () => Promise<void>;
  /** What everything that runs uses, all of it at this minute, in one statement. */
  readonly saveUsage: (samples: readonly UsageSample[]) => Promise<void>;
  /** Makes hours of minutes that are a day old, and forgets hours that are older than that. Bounded: the rest is for the next call. */
  readonly thinUsage: (keptMs: Ms) => Promise<void>;
  /** What is left of workspaces that are gone for good. */
  readonly forgetUsageOfDeleted: () => Promise<void>;
  /** What this leader sees of the parts it depends on; `since` moves only when a status changes. */
  readonly saveComponents: (components: readonly ComponentSeen[]) => Promise<void>;
}

export interface ComponentSeen {
  readonly name: string;
  readonly status: "ok" | "degraded" | "down" | "unknown";
  readonly detail: string;
}

export interface WorkspaceReader {
  readonly read: (id: string) => Promise<Workspace | null>;
  readonly readMany: (ids: readonly string[]) => Promise<Workspace[]>;
}

export interface SeenRow extends Pick<Workspace, "id" | "rowVersion"> {
  /** What was seen of it, where that is not what the row says already. */
  readonly conditions: Conditions | null;
}

export interface Progress {
  readonly step: string;
  readonly doneBytes: number;
  readonly totalBytes: number | null;
  readonly doneFiles: number;
  readonly bytesPerSecond: number | null;
  /** What a start waits for. */
  readonly waiting?: StartWaiting;
}

/** What is kept of getting a repository, for the request with this number. */
export interface KeptSetup {
  readonly version: number;
  readonly log: string;
  /** Null: the repository has no set-up file. */
  readonly plan: ReadSetup | null;
}

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export interface ReapCandidate {
  readonly volume: VolumeRecord;
  readonly row: Workspace | null;
}

export interface ArchiveWithRow {
  readonly key: string;
  readonly record: ArchiveRecord | null;
  readonly row: Workspace | null;
}

export interface GiveUpFacts extends ArchiveWithRow {
  readonly markedAt: Ms | null;
  readonly now: Ms;
}

export type MarkVerdict = "remove" | "unmark" | "wait";

/** What a leader found. */
export interface Bound {
  readonly runtimeKind: string;
  readonly engineId: string | null;
  readonly storeId: string | null;
}

export interface Deployment {
  readonly deploymentId: string;
  readonly runtimeKind: string | null;
  readonly engineId: string | null;
  readonly storeId: string | null;
  readonly gcGeneration: number;
  /** Why garbage collection and reaper rest, or null. */
  readonly quarantine: string | null;
}

/** What a request is decided from, read in the transaction that writes it. `now` is the database's clock. */
export interface RequestFacts {
  /** Null for an id that does not exist. */
  readonly row: Workspace | null;
  readonly now: Ms;
  /** Counted under the limits' lock when asked for, without this row; else zero. */
  readonly slots: Slots;
}

export type RequestDecision<R> =
  | { readonly write: Partial<RequestColumns>; readonly events: readonly EventLine[]; readonly result: R }
  | { readonly write: null; readonly result: R };

/** Whether a new workspace may be: the lines of history it begins with, or why not. */
export type Creation<T> = { readonly refuse: T } | { readonly refuse: null; readonly events: readonly EventLine[] };

/** An address is another workspace's, or was. Nothing was written; another one can be tried. */
export class AddressTaken extends Error {
  override readonly name = "AddressTaken";
}

/** The side of people's requests, and the TTL runner's: the only way to write a request. */
export interface RequestStore extends WorkspaceReader {
  /**
   * One transaction: with `countSlots` first takes the limits' lock, then locks and reads the row, lets the pure
   * function decide, writes, commits. Exactly one of two racing wakes gets the last slot. With another address every
   * session in the workspace ends. Rejected with AddressTaken where it is one that any other has ever had.
   */
  readonly change: <R>(
    id: string,
    options: { countSlots: boolean },
    decide: (facts: RequestFacts) => RequestDecision<R>,
  ) => Promise<R>;

  /** Inserts a new row under the same lock, or declines with a reason (`T`). AddressTaken as above. */
  readonly create: <T>(
    draft: WorkspaceDraft,
    decide: (facts: Pick<RequestFacts, "slots" | "now">) => Creation<T>,
  ) => Promise<{ readonly row: Workspace } | { readonly refused: T }>;

  /** This person agrees to these commands of this repository. */
  readonly allowCommands: (userId: string, repository: string, digest: string) => Promise<void>;

  /** Candidates for falling back, by partial index; each is decided again by `change`. */
  readonly listIdleCandidates: (
    defaults: { standbyTtlSeconds: number; archiveTtlSeconds: number },
    limit: number,
  ) => Promise<string[]>;
  /** The longest standby TTL that any workspace has, where each without its own has the given one. */
  readonly longestStandbyTtlSeconds: (defaultSeconds: number) => Promise<number>;
  /** Sets last_access_at where the given time is newer, clamped to the database's clock. */
  readonly touch: (accesses: ReadonlyMap<string, Ms>) => Promise<void>;
}

export interface WorkspaceDraft
  extends Pick<
    RequestColumns,
    "name" | "description" | "memo" | "imageRef" | "standbyTtlSeconds" | "archiveTtlSeconds"
  > {
  readonly id: string;
  readonly ownerId: string;
  readonly desiredState: "RUNNING" | "STANDBY" | "ARCHIVED";
  /** Left out: no repository. */
  readonly source?: RequestColumns["source"];
  /** Left out: it is given them. */
  readonly keysAllowed?: boolean;
  /** Left out: it is served under its id. */
  readonly address?: string | null;
}

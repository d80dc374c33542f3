import type { ArchiveRecord, ListedColumns, Ms, Operation, Phase, Workspace } from "#core/rows/workspace.ts";
import type { KeptCount } from "#core/rules/gc.ts";
import type { Figure, UsageGap } from "#core/rules/usage.ts";
import type { StartWaiting } from "./runtime.ts";
import type { KeptSetup } from "./store.ts";

/** A row with what people want to see beside it. */
export interface WorkspaceView {
  readonly row: Workspace;
  readonly ownerName: string;
  /** Of the running operation's storage job; null when none has reported. */
  readonly progress: ProgressView | null;
  /** The newest archive that was read back and that nothing has given up. */
  readonly lastArchive: ArchiveRecord | null;
  /** In that archive; before there is one, as the home's files were counted last. */
  readonly homeBytes: number | null;
}

/** A row as lists and events tell of it. */
export interface WorkspaceSummaryView {
  readonly row: ListedColumns;
  readonly progress: ProgressView | null;
  /** Of the newest archive that was read back and that nothing has given up. */
  readonly lastArchive: { readonly verifiedAt: Ms } | null;
  readonly homeBytes: number | null;
}

/** A workspace on a page of a list. As long as its stamp stays the same, so does its summary, but for what the clock changes. */
export interface SummaryStamp {
  readonly id: string;
  readonly stamp: string;
  readonly ownerName: string;
}

/** Both of one moment. */
export interface StampedSummary {
  readonly stamp: string;
  readonly view: WorkspaceSummaryView;
}

export interface ProgressView {
  readonly step: string;
  readonly doneBytes: number;
  readonly totalBytes: number | null;
  readonly doneFiles: number;
  readonly totalFiles: number | null;
  readonly bytesPerSecond: number | null;
  readonly etaSeconds: number | null;
  /** What a start waits for; null for everything else. */
  readonly waiting: StartWaiting | null;
  readonly updatedAt: Ms;
}

export interface ListFilter {
  /** Null is everybody's. */
  readonly ownerId: string | null;
  readonly text: string | null;
  readonly phases: readonly Phase[] | null;
  readonly trash: "exclude" | "only" | "include";
  readonly sort: "name" | "created_at" | "updated_at" | "last_access_at" | "phase" | "owner";
  readonly order: "asc" | "desc";
  readonly limit: number;
  /** Of the last row of the previous page, as `next` gave it. */
  readonly after: ListCursor | null;
}

/** The sort value as the database wrote it and the id that breaks ties: a page never skips or repeats a row. */
export interface ListCursor {
  readonly value: string;
  readonly id: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: ListCursor | null;
  readonly total: number;
}

/** Somebody who has workspaces, and how many. */
export interface OwnerCount {
  readonly id: string;
  readonly username: string;
  readonly workspaces: number;
}

export interface EventView {
  readonly id: string;
  readonly at: Ms;
  readonly kind: string;
  readonly workspaceId: string | null;
  readonly actorKind: "user" | "admin" | "coordinator" | "ttl" | "proxy" | "system";
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly summary: string;
  readonly fromPhase: Phase | null;
  readonly toPhase: Phase | null;
  readonly operation: Operation | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A line as administrators read it. */
export interface AuditEventView extends EventView {
  readonly workspaceName: string | null;
}

export interface EventChoice {
  readonly workspaceId: string | null;
  readonly actorId: string | null;
  readonly actorKind: EventView["actorKind"] | null;
  readonly kind: string | null;
  readonly since: Ms | null;
  /** Only what was before. */
  readonly until: Ms | null;
}

export interface EventFilter extends EventChoice {
  /** Only events with a lower id. */
  readonly before: string | null;
  readonly skip: number;
  readonly limit: number;
}

/** Everything there is. */
export const EVERY_EVENT: EventChoice = {
  workspaceId: null,
  actorId: null,
  actorKind: null,
  kind: null,
  since: null,
  until: null,
};

/** What can be chosen, each as if nothing of its own sort were chosen, the most frequent first. */
export interface EventFacets {
  readonly kinds: readonly { readonly kind: string; readonly count: number }[];
  readonly actors: readonly (Pick<EventView, "actorKind" | "actorId" | "actorName"> & { readonly count: number })[];
  readonly workspaces: readonly { readonly id: string; readonly name: string | null; readonly count: number }[];
}

export type PhaseCount = Readonly<Record<Phase, number>>;

export interface FleetView {
  readonly now: Ms;
  readonly counts: PhaseCount;
  readonly users: number;
  readonly slotsHeld: number;
  readonly converging: number;
  readonly oldestConvergingMs: number | null;
  readonly samples: readonly { readonly at: Ms; readonly counts: PhaseCount }[];
  readonly operations: readonly OperationView[];
  readonly leader: { readonly holder: string; readonly epoch: number; readonly since: Ms } | null;
  readonly components: readonly ComponentView[];
  readonly gc: CollectionView;
}

export interface CollectionView {
  readonly quarantine: string | null;
  /** When the store was last listed. */
  readonly lastRunAt: Ms | null;
  readonly listed: number;
  /** What stayed at that time, by reason. */
  readonly kept: readonly KeptCount[];
  /** Marked, and not yet long enough. */
  readonly ageing: number;
  /** Marked long enough ago: waiting to be removed. */
  readonly aged: number;
  readonly removedSinceRun: number;
  readonly removed24h: number;
}

export interface OperationView {
  readonly operation: Operation;
  readonly running: number;
  readonly finished24h: number;
  readonly failed24h: number;
  readonly medianSeconds: number | null;
  readonly p95Seconds: number | null;
}

/** What the leader last saw of a part it depends on. */
export interface ComponentView {
  readonly name: string;
  readonly status: "ok" | "degraded" | "down" | "unknown";
  readonly detail: string;
  readonly since: Ms;
  readonly updatedAt: Ms;
}

/** What somebody's workspaces used in one week. */
export interface UsageLine {
  readonly userId: string;
  readonly username: string;
  /** When the week began. */
  readonly week: Ms;
  readonly hours: number;
  /** At its end, as large as they were when last archived. */
  readonly homeBytes: number;
}

export interface SlotHolder {
  readonly id: string;
  readonly name: string;
  readonly phase: Phase;
  readonly lastAccessAt: Ms;
}

/** Null: not known. */
export interface UsagePoint {
  readonly at: Ms;
  readonly cpuCores: number | null;
  readonly memoryBytes: number | null;
  readonly homeBytes: number | null;
  readonly diskUsedBytes: number | null;
}

export interface UsageLatest extends UsagePoint {
  readonly diskTotalBytes: number | null;
  readonly diskShared: boolean | null;
  readonly missing: Readonly<Partial<Record<Figure, UsageGap>>>;
}

/** Everything the API and the event hub read. Nothing here writes. */
export interface Views {
  readonly get: (id: string) => Promise<WorkspaceView | null>;
  /** The workspace whose address in words this is, or ever was. */
  readonly idOfAddress: (label: string) => Promise<string | null>;
  readonly list: (filter: ListFilter) => Promise<Page<WorkspaceView>>;
  readonly stamps: (filter: ListFilter) => Promise<Page<SummaryStamp>>;
  /** Those of the ids that the filter lets through, wherever in its order. */
  readonly summaries: (filter: ListFilter, ids: readonly string[]) => Promise<readonly StampedSummary[]>;
  /** Whose workspaces match, by name; those in the trash do not count. */
  readonly owners: (filter: Pick<ListFilter, "text" | "phases">) => Promise<readonly OwnerCount[]>;
  /** Those of the ids that are the owner's. */
  readonly summariesOf: (ownerId: string, ids: readonly string[]) => Promise<readonly WorkspaceSummaryView[]>;
  /** All of a user's workspaces, also those in the trash that can still be taken out. */
  /** What is kept of getting its repository, and whether its owner has agreed to the commands in it. */
  readonly setup: (id: string) => Promise<(KeptSetup & { readonly allowed: boolean }) | null>;
  /** Workspaces of this person that have a repository already, the last used first. */
  readonly ofSource: (
    ownerId: string,
    key: string,
  ) => Promise<readonly { readonly id: string; readonly name: string }[]>;
  readonly ofOwner: (ownerId: string) => Promise<readonly WorkspaceSummaryView[]>;
  /** Archives that nothing has given up, newest first. */
  readonly archives: (workspaceId: string) => Promise<readonly ArchiveRecord[]>;
  /** Newest first, with the number of all that match. */
  readonly events: (
    filter: EventFilter,
  ) => Promise<{ readonly items: readonly AuditEventView[]; readonly total: number }>;
  /** The same without the number, which is the dear part of it. */
  readonly eventLines: (filter: EventFilter) => Promise<readonly AuditEventView[]>;
  /** By user and week, the last so many weeks; a week of somebody who used nothing is left out. */
  readonly usageByWeek: (weeks: number) => Promise<readonly UsageLine[]>;
  readonly eventFacets: (choice: EventChoice) => Promise<EventFacets>;
  /** Who holds a running slot, the idlest first; of one owner or of everybody. */
  readonly slotHolders: (ownerId: string | null) => Promise<readonly SlotHolder[]>;
  /** Whoever owns the oldest workspace that is not deleted: on a single-user runtime the only one who may start. */
  /** How many this user may have running in place of what everybody may; null where nothing was said. */
  readonly mostRunning: (userId: string) => Promise<number | null>;
  readonly firstOwner: () => Promise<string | null>;
  readonly fleet: () => Promise<FleetView>;
  /** What it used over a time, in steps, and at the last look; null where nobody has looked yet. */
  readonly usage: (
    workspaceId: string,
    rangeMs: Ms,
    stepMs: Ms,
  ) => Promise<{ readonly latest: UsageLatest | null; readonly points: readonly UsagePoint[] }>;
  /** Cheap; rejects when the database does not answer. */
  readonly ping: () => Promise<void>;
}

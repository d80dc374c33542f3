/**
 * One state of the modelled world: a workspace row, the engine and the object store it talks about, and every process
 * that is in the middle of something. Nested values other than `row`, `left` and `oracle` are never changed in place, so
 * a copy of a state shares them.
 */

/** Attempts, volumes, archive keys and container instances draw from one space of names; 0 is SQL's NULL. */
export type Id = number;

/** The name every volume would have if names did not contain the attempt. It is never minted for anything else. */
export const FIXED_NAME: Id = 1;

export const DESIRED = ["RUNNING", "STANDBY", "ARCHIVED", "PENDING", "DELETED"] as const;
export type Desired = (typeof DESIRED)[number];

export const OPERATIONS = [
  "NONE",
  "PROVISIONING",
  "RESTORING",
  "PREPARING",
  "STARTING",
  "STOPPING",
  "ARCHIVING",
  "CREATE_EMPTY_ARCHIVE",
  "DISCARDING",
  "DELETING",
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Where a driver stands in its operation; anything can happen in the world between two of these. */
export const STAGES = [
  "claim",
  "remove",
  "run",
  "create",
  "upload",
  "launch",
  "verify",
  "drop",
  "commit",
  "doubt",
] as const;
export type Stage = (typeof STAGES)[number];

/** What a volume or an object holds: the user's n-th version (0 is the fresh, empty home) or something unusable. */
export type Content = number;
export const PARTIAL: Content = -1;
export const CORRUPT: Content = -2;
export const FILLED_FROM_IMAGE: Content = -3;

export interface Row {
  desired: Desired;
  deleted: boolean;
  purge: boolean;
  expired: boolean;
  operation: Operation;
  attempt: Id;
  /** op_epoch equals the epoch of the leader that reigns now. */
  owned: boolean;
  volume: Id;
  archive: Id;
  /** archive_op_id: the newest archiving attempt, kept through ERROR so that GC spares its object. */
  archiveAttempt: Id;
  marker: Id;
  endpoint: Id;
  error: boolean;
  /** setup_wanted: the newest request for a repository; 0 when nobody asked for one. */
  wanted: number;
  /** Somebody does not want to wait for that one. */
  skipped: boolean;
  /** What home_ctx.setup answers, 0 for nothing, and whether it says that the project is there. */
  noted: number;
  ready: boolean;
  /** It is stopped and started again for a repository. */
  restart: boolean;
}

export interface Stored {
  readonly id: Id;
  readonly content: Content;
  /** The projects that lie in it, as bits: the n-th is that of the n-th request. */
  readonly projects: number;
}

/** An archive discarded by a reset; `holds` is the version whose undo was promised, 0 if nothing was. */
interface Trashed {
  readonly id: Id;
  readonly over: boolean;
  readonly holds: Content;
}

interface Container {
  readonly instance: Id;
  readonly volume: Id;
  readonly attempt: Id;
  readonly connected: boolean;
}

/** A job lives in the engine, not in the coordinator: it outlives whoever launched it. */
export interface Job {
  readonly kind: "archive" | "restore" | "prepare";
  readonly attempt: Id;
  readonly volume: Id;
  readonly archive: Id;
  /** What the job read when it began; null before that. One that prepares has begun to write then. */
  readonly read: Content | null;
  /** The projects it read, or the number of the request it prepares for. */
  readonly projects: number;
  /** Killed and confirmed gone, yet its last write is still on its way. */
  readonly late: boolean;
}

export interface Driver {
  readonly operation: Operation;
  readonly stage: Stage;
  readonly attempt: Id;
  readonly volume: Id;
  readonly archive: Id;
  readonly instance: Id;
  /** PREPARING: the request it was begun for, and what became of it. */
  readonly version: number;
  readonly outcome: Outcome;
  /** False once another leader's epoch has begun. */
  readonly current: boolean;
}

export const OUTCOMES = ["none", "got", "failed", "skipped"] as const;
export type Outcome = (typeof OUTCOMES)[number];

interface TtlDecision {
  readonly to: Desired;
  /** desired_version has not moved since the row was read. */
  readonly fresh: boolean;
  /** A wish that this decision must not override was made, before or after the row was read. */
  readonly outdated: boolean;
}

/** What GC holds in its hands: an object it has decided on, or (in the wrong order) a protected set read too early. */
type GcWork = { readonly doomed: Id } | { readonly spared: readonly Id[] };

export const BUDGETS = [
  "wishes",
  "writes",
  "ttlRuns",
  "crashes",
  "freezes",
  "failures",
  "lateWrites",
  "reruns",
  "overlaps",
  "corruptions",
  "hangs",
  "lostAnswers",
  "diskLosses",
  "storeLosses",
  "asks",
  "skips",
] as const;
export type Budget = (typeof BUDGETS)[number];

/** What an all-knowing observer remembers, to judge the rest by. */
interface Oracle {
  versions: number;
  /** The newest acknowledged content of the home; 0 means that an empty home is right. */
  newest: Content;
  /** The disk died with the home on it; until a person decides, nothing can be demanded but silence. */
  diskLost: boolean;
  /** The store lost the archive that the row relies on; a retired volume may be the last copy. */
  storeLost: boolean;
  /** A rule broken by a step rather than by a state. */
  broken: string;
}

export interface State {
  row: Row;
  volumes: readonly Stored[];
  objects: readonly Stored[];
  trash: readonly Trashed[];
  marks: readonly Id[];
  container: Container | null;
  jobs: readonly Job[];
  leader: Driver | null;
  zombies: readonly Driver[];
  gc: GcWork | null;
  reaping: Id;
  ttl: TtlDecision | null;
  /** The container instance a proxy has chosen and not yet connected to. */
  routed: Id;
  left: Record<Budget, number>;
  oracle: Oracle;
  /** The next name never used before; not part of a state's identity. */
  nextId: Id;
}

export function initialState(left: Record<Budget, number>, repository: boolean): State {
  return {
    row: {
      desired: "RUNNING",
      deleted: false,
      purge: false,
      expired: false,
      operation: "NONE",
      attempt: 0,
      owned: true,
      volume: 0,
      archive: 0,
      archiveAttempt: 0,
      marker: 0,
      endpoint: 0,
      error: false,
      wanted: repository ? 1 : 0,
      skipped: false,
      noted: 0,
      ready: false,
      restart: false,
    },
    volumes: [],
    objects: [],
    trash: [],
    marks: [],
    container: null,
    jobs: [],
    leader: null,
    zombies: [],
    gc: null,
    reaping: 0,
    ttl: null,
    routed: 0,
    left: { ...left },
    oracle: { versions: 0, newest: 0, diskLost: false, storeLost: false, broken: "" },
    nextId: FIXED_NAME + 1,
  };
}

export function copyState(s: State): State {
  return { ...s, row: { ...s.row }, left: { ...s.left }, oracle: { ...s.oracle } };
}

export function mint(s: State): Id {
  const id = s.nextId;
  s.nextId += 1;
  return id;
}

export function contentOf(list: readonly Stored[], id: Id): Content | undefined {
  return list.find((x) => x.id === id)?.content;
}

export function has(list: readonly { readonly id: Id }[], id: Id): boolean {
  return id !== 0 && list.some((x) => x.id === id);
}

/** What is written to a home leaves its projects as they are, unless it brings its own. */
export function put(
  list: readonly Stored[],
  id: Id,
  content: Content,
  projects: number = projectsOf(list, id),
): readonly Stored[] {
  return [...without(list, id), { id, content, projects }];
}

export function projectsOf(list: readonly Stored[], id: Id): number {
  return list.find((x) => x.id === id)?.projects ?? 0;
}

/** Whether its repository has yet to be got into the home. */
export function isDue({ wanted, skipped, noted }: Row): boolean {
  return wanted > noted && !skipped;
}

export function without<T extends { readonly id: Id }>(list: readonly T[], id: Id): readonly T[] {
  return list.filter((x) => x.id !== id);
}

/** Nothing is promised any more: purged, or deleted with its retention over. */
export function isOver(row: Row): boolean {
  return row.deleted && (row.purge || row.expired);
}

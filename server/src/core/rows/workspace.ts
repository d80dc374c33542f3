import type { ErrorInfo, ErrorReason } from "#core/rules/errors.ts";
import type { Conditions } from "./condition.ts";
import type { Reason } from "./meaning.ts";
import type { HomeSetup } from "./setup.ts";
import type { RepositorySource } from "./source.ts";

/**
 * The ladder: what a workspace costs and where its home lives.
 * A phase outside the ladder (ERROR, DELETING, DELETED) has no level and is never compared.
 */
export const LEVELS = { PENDING: 0, ARCHIVED: 5, STANDBY: 10, RUNNING: 20 } as const;

export type LevelName = keyof typeof LEVELS;

export const PHASES = ["PENDING", "ARCHIVED", "STANDBY", "RUNNING", "ERROR", "DELETING", "DELETED"] as const;
export type Phase = (typeof PHASES)[number];

export const DESIRED_STATES = ["PENDING", "ARCHIVED", "STANDBY", "RUNNING", "DELETED"] as const;
export type DesiredState = (typeof DESIRED_STATES)[number];

export const OPERATION_NAMES = [
  "PROVISIONING",
  "CREATE_EMPTY_ARCHIVE",
  "RESTORING",
  "PREPARING",
  "STARTING",
  "STOPPING",
  "ARCHIVING",
  "DISCARDING",
  "DELETING",
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];
export type Operation = OperationName | "NONE";

/** Milliseconds since 1970. The core never reads a clock; it is handed one of these. */
export type Ms = number;

/** Where the proxy may connect: set by the commit of STARTING, cleared by the claim of what removes the container. */
export interface Endpoint {
  readonly containerId: string;
  readonly attempt: string;
  readonly address: Address;
}

/**
 * `mac` says who has to be behind it, where others could come to have the same address later: a hardware address on
 * Docker, a pod's uid on Kubernetes.
 */
export type Address =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly mac?: string }
  | { readonly kind: "unix"; readonly path: string };

/**
 * A person's one-off request that is not a level: written by the API with a rising version,
 * done once the coordinator has set `requestDone` to that version.
 */
export interface WorkspaceRequest {
  readonly version: number;
  readonly action: RequestAction;
}

export type RequestAction =
  /** Clears a stored error and plans again. */
  | { readonly kind: "recover" }
  /** Leaves DataLost by restoring an archive that is older than what was lost, by consent. */
  | { readonly kind: "restore_archive"; readonly opId: string }
  /** Leaves DataLost with an empty home, by consent. */
  | { readonly kind: "start_empty" }
  /** Makes an older archive version the current one (phase PENDING or ARCHIVED, or an unreadable archive). */
  | { readonly kind: "use_archive"; readonly opId: string }
  /** Stops and starts a running workspace. */
  | { readonly kind: "restart" }
  /** A restore test: reads an archive back in full and records the result. */
  | { readonly kind: "verify_archive"; readonly opId: string }
  /** An operator's word that this machine is off for good: exactly this container may be given up, once. */
  | { readonly kind: "node_off"; readonly container: string; readonly node: string }
  /** Makes room for a larger home, where homes have sizes. Never smaller. */
  | { readonly kind: "grow_home"; readonly bytes: number };

/** What requests write. */
export interface RequestColumns {
  readonly name: string;
  readonly description: string | null;
  readonly memo: string | null;
  readonly imageRef: string;
  readonly desiredState: DesiredState;
  readonly desiredVersion: number;
  readonly deletedAt: Ms | null;
  readonly purge: boolean;
  readonly request: WorkspaceRequest | null;
  readonly standbyTtlSeconds: number | null;
  readonly archiveTtlSeconds: number | null;
  readonly keepAwakeUntil: Ms | null;
  /** How much of that its own page asked for, and since when that is counted. */
  readonly awakeAskedFrom: Ms | null;
  readonly awakeAskedSeconds: number;
  readonly lastAccessAt: Ms;
  /** The repository that its home should have, if somebody wants one. */
  readonly source: RepositorySource | null;
  /** Rises with every request to get the repository into the home. */
  readonly setupWanted: number;
  /** The last of these requests that somebody did not want to wait for. */
  readonly setupSkipped: number;
  /** Whether it is given its owner's keys and secrets. */
  readonly keysAllowed: boolean;
  /** Its address in words; null: it is served under its id. */
  readonly address: string | null;
}

/** What the coordinator writes. */
export interface VerdictColumns {
  readonly conditions: Conditions;
  readonly phase: Phase;
  readonly phaseChangedAt: Ms;
  readonly observedAt: Ms | null;
  readonly operation: Operation;
  readonly opStartedAt: Ms | null;
  readonly opId: string | null;
  readonly opEpoch: number | null;
  readonly requestDone: number;
  readonly expiredAt: Ms | null;
  readonly homeVolume: string | null;
  readonly archiveKey: string | null;
  /** The attempt of the last archive upload; survives ERROR so that garbage collection spares its object. */
  readonly archiveOpId: string | null;
  readonly endpoint: Endpoint | null;
  readonly homeCtx: HomeContext;
  readonly errorReason: ErrorReason | null;
  readonly errorCount: number;
  readonly errorInfo: ErrorInfo | null;
  readonly reconcileFailureCount: number;
  readonly nextAttemptAt: Ms | null;
}

/** Small facts about the home that people like to see; but for its size nothing is decided from them. */
export interface HomeContext {
  readonly restoreMarker: string | null;
  /** The image the running container was started from, to tell when a restart is required. */
  readonly startedImage: string | null;
  /** The request whose attempt failed last: the backoff binds that request only, a newer one plans at once. */
  readonly failedRequest: number | null;
  /** Times at which the container ended by itself, newest last, for the crash-loop rule. */
  readonly exits: readonly Ms[];
  /** Why the last container is not there any more, until the next one is. */
  readonly ended: ContainerEnd | null;
  /** What somebody asked for; null: whatever new homes get. The next volume of the home has at least this. */
  readonly sizeBytes: number | null;
  /** What was measured of its disk when that was nearly full; null: there is room, or nobody knows. */
  readonly disk: HomeDisk | null;
  /** What became of the repository; null: nothing was asked for, or this home has not been prepared. */
  readonly setup: HomeSetup | null;
}

export interface HomeDisk {
  readonly volume: string;
  readonly usedBytes: number;
  readonly totalBytes: number;
  /** It is not this home's alone: all homes of the machine are on it. */
  readonly shared: boolean;
  readonly at: Ms;
}

/** A code with its fields, what the engine said about it, and when it was seen. */
export interface ContainerEnd extends Reason {
  readonly message: string;
  readonly at: Ms;
}

export const EMPTY_HOME_CONTEXT: HomeContext = {
  restoreMarker: null,
  startedImage: null,
  failedRequest: null,
  exits: [],
  ended: null,
  sizeBytes: null,
  disk: null,
  setup: null,
};

export interface Workspace extends RequestColumns, VerdictColumns {
  readonly id: string;
  readonly ownerId: string;
  readonly createdAt: Ms;
  readonly updatedAt: Ms;
  /** Rises with every change of the row, whoever made it. */
  readonly rowVersion: number;
}

type RareColumn =
  | "ownerId"
  | "address"
  | "awakeAskedFrom"
  | "awakeAskedSeconds"
  | "memo"
  | "observedAt"
  | "opId"
  | "opEpoch"
  | "archiveOpId"
  | "endpoint"
  | "errorCount";

/** What lists read of a row, and all that what happens next may be decided from. */
export type ListedColumns = Omit<Workspace, RareColumn | "reconcileFailureCount" | "updatedAt">;

/** Every archive that was ever committed, and what is promised about it. */
export interface ArchiveRecord {
  readonly key: string;
  readonly workspaceId: string;
  readonly opId: string;
  readonly state: ArchiveState;
  readonly facts: ArchiveFacts;
  readonly createdAt: Ms;
  readonly verifiedAt: Ms;
  /** For `trash`: until when it is kept. */
  readonly keepUntil: Ms | null;
}

/** current: the row points at it. version: an older verified copy. trash: discarded, undo is possible. orphan: GC may take it. */
export const ARCHIVE_STATES = ["current", "version", "trash", "orphan"] as const;
export type ArchiveState = (typeof ARCHIVE_STATES)[number];

/** What the storage job measured while it wrote, and read back before anybody believed it. */
export interface ArchiveFacts {
  readonly sha256: string;
  /** Bytes of the compressed object. */
  readonly sizeBytes: number;
  /** Bytes of the files inside. */
  readonly contentBytes: number;
  readonly entryCount: number;
  readonly manifestDigest: string;
  readonly skippedSockets: number;
  readonly formatVersion: number;
}

/** building: an attempt is filling it. current: the row points at it. retired: the reaper may take it after its grace. gone: removed. */
export const VOLUME_STATES = ["building", "current", "retired", "gone"] as const;
export type VolumeState = (typeof VOLUME_STATES)[number];

export interface VolumeRecord {
  readonly name: string;
  readonly workspaceId: string;
  readonly attempt: string;
  readonly state: VolumeState;
  readonly retiredAt: Ms | null;
}

import type { ConditionKey } from "#core/rows/condition.ts";
import { type LevelName, type ListedColumns, OPERATION_NAMES, type OperationName } from "#core/rows/workspace.ts";
import type { Made } from "./completion.ts";
import { setupDue } from "./setup.ts";

/**
 * One operation of the protocol. Whoever plans, claims, takes over, drives or shows an operation asks its row; only the
 * act itself (coordinator/operations) and a person's words for it live elsewhere.
 */
export interface OperationRow {
  /** Where it begins and where it leads on the ladder, which may be the same level. Null: it stands beside the ladder. */
  readonly edge: Edge | null;
  /** Planned first wherever that one would be planned, for as long as it is due; its commit must end that. */
  readonly before?: { readonly operation: OperationName; readonly due: RowRule };
  /** Nothing is planned from unknown: these must have been positively answered. */
  readonly needs: readonly ConditionKey[];
  /** Where the row must say that the home is. A home that the row knows is never built over, whatever the conditions say. */
  readonly home: "nowhere" | "archive" | "any";
  /**
   * What its act hands to the commit. "home" fills a new volume, which is on record before it exists. "archive" uploads;
   * the attempt stays on record as the archive's, also after an error. "container" is the only one that starts one.
   */
  readonly makes: Made["kind"];
  /** From its claim on, the container that was recorded must not be reached any more. */
  readonly closesDoor: boolean;
  /** Another attempt must never share its half-done work: taking it over always mints a new attempt. */
  readonly freshOnTakeover: boolean;
  /** Holds a slot of the running limits while it is under way, whatever is requested by then. */
  readonly holdsSlot: boolean;
  /**
   * A job beside the server: found and ended by its labels before anybody else works on. "storage" moves homes, has no
   * network of the workspace's, and is one of few at a time. "workspace" has the network the workspace's container has.
   */
  readonly job: "storage" | "workspace" | null;
  /** What its timeout measures: the whole attempt, or the time since the last sign of progress. */
  readonly timeout: "whole" | "since_progress";
  /** What it is called in a sentence: "Finish archiving". */
  readonly doing: string;
}

interface Edge {
  readonly from: LevelName;
  readonly to: LevelName;
  /** An edge for some rows only. Where it applies it is preferred to one that is there for all and goes as far. */
  readonly when?: RowRule;
}

type RowRule = (row: ListedColumns) => boolean;

export type OperationTable = Readonly<Record<OperationName, OperationRow>>;

const CONTAINER = ["infra.container_present", "infra.container_ready"] as const;
const CONTAINER_AND_VOLUME = [...CONTAINER, "storage.volume_ready"] as const;

export const OPERATIONS = {
  PROVISIONING: {
    edge: { from: "PENDING", to: "STANDBY" },
    needs: CONTAINER_AND_VOLUME,
    home: "nowhere",
    makes: "home",
    closesDoor: false,
    freshOnTakeover: true,
    holdsSlot: false,
    job: null,
    timeout: "whole",
    doing: "preparing",
  },
  CREATE_EMPTY_ARCHIVE: {
    edge: { from: "PENDING", to: "ARCHIVED" },
    needs: CONTAINER_AND_VOLUME,
    home: "nowhere",
    makes: "archive",
    closesDoor: false,
    freshOnTakeover: true,
    holdsSlot: false,
    job: "storage",
    timeout: "since_progress",
    doing: "archiving",
  },
  RESTORING: {
    edge: { from: "ARCHIVED", to: "STANDBY" },
    needs: [...CONTAINER_AND_VOLUME, "storage.archive_ready"],
    home: "archive",
    makes: "home",
    closesDoor: false,
    freshOnTakeover: true,
    holdsSlot: false,
    job: "storage",
    timeout: "since_progress",
    doing: "restoring",
  },
  PREPARING: {
    edge: { from: "STANDBY", to: "STANDBY" },
    before: { operation: "STARTING", due: setupDue },
    needs: CONTAINER_AND_VOLUME,
    home: "any",
    makes: "note",
    closesDoor: false,
    freshOnTakeover: true,
    holdsSlot: false,
    job: "workspace",
    timeout: "since_progress",
    doing: "getting the repository",
  },
  STARTING: {
    edge: { from: "STANDBY", to: "RUNNING" },
    needs: CONTAINER_AND_VOLUME,
    home: "any",
    makes: "container",
    closesDoor: true,
    freshOnTakeover: false,
    holdsSlot: true,
    job: null,
    timeout: "whole",
    doing: "starting",
  },
  STOPPING: {
    edge: { from: "RUNNING", to: "STANDBY" },
    needs: CONTAINER,
    home: "any",
    makes: "no_container",
    closesDoor: true,
    freshOnTakeover: false,
    holdsSlot: false,
    job: null,
    timeout: "whole",
    doing: "stopping",
  },
  ARCHIVING: {
    edge: { from: "STANDBY", to: "ARCHIVED" },
    needs: CONTAINER_AND_VOLUME,
    home: "any",
    makes: "archive",
    closesDoor: false,
    freshOnTakeover: true,
    holdsSlot: false,
    job: "storage",
    timeout: "since_progress",
    doing: "archiving",
  },
  DISCARDING: {
    edge: { from: "ARCHIVED", to: "PENDING" },
    needs: CONTAINER_AND_VOLUME,
    home: "any",
    makes: "trash",
    closesDoor: false,
    freshOnTakeover: false,
    holdsSlot: false,
    job: null,
    timeout: "whole",
    doing: "emptying",
  },
  DELETING: {
    edge: null,
    needs: CONTAINER,
    home: "any",
    makes: "end",
    closesDoor: true,
    freshOnTakeover: false,
    holdsSlot: false,
    job: null,
    timeout: "whole",
    doing: "deleting",
  },
} as const satisfies OperationTable;

/** The same for every operation, as a record by its name. */
export function forEveryOperation<T>(of: (name: OperationName) => T): Readonly<Record<OperationName, T>> {
  return Object.fromEntries(OPERATION_NAMES.map((name) => [name, of(name)])) as Record<OperationName, T>;
}

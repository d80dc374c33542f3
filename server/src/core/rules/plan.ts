import { type ConditionKey, type Conditions, tri } from "#core/rows/condition.ts";
import { LEVELS, type LevelName, type Ms, type OperationName, type Workspace } from "#core/rows/workspace.ts";
import { isCrashLooping } from "./crash-loop.ts";
import { isLevel } from "./phase.ts";

const CONTAINER: readonly ConditionKey[] = ["infra.container_present", "infra.container_ready"];
const CONTAINER_AND_VOLUME: readonly ConditionKey[] = [...CONTAINER, "storage.volume_ready"];

interface Edge {
  readonly from: LevelName;
  readonly to: LevelName;
  /** Nothing is planned from unknown: these must have been positively answered. */
  readonly needs: readonly ConditionKey[];
}

/** The ladder's edges. A new level adds two of them, one up and one down; nothing else in this file changes. */
export const EDGES: Readonly<Record<Exclude<OperationName, "DELETING">, Edge>> = {
  PROVISIONING: { from: "PENDING", to: "STANDBY", needs: CONTAINER_AND_VOLUME },
  CREATE_EMPTY_ARCHIVE: { from: "PENDING", to: "ARCHIVED", needs: CONTAINER_AND_VOLUME },
  RESTORING: { from: "ARCHIVED", to: "STANDBY", needs: [...CONTAINER_AND_VOLUME, "storage.archive_ready"] },
  STARTING: { from: "STANDBY", to: "RUNNING", needs: CONTAINER_AND_VOLUME },
  STOPPING: { from: "RUNNING", to: "STANDBY", needs: CONTAINER },
  ARCHIVING: { from: "STANDBY", to: "ARCHIVED", needs: CONTAINER_AND_VOLUME },
  DISCARDING: { from: "ARCHIVED", to: "PENDING", needs: CONTAINER_AND_VOLUME },
};

/** How old the answer about the archive may be when a home is rebuilt from it. */
export const ARCHIVE_FRESH_MS = 60_000;

export type Plan =
  | {
      readonly kind: "operate";
      readonly operation: OperationName;
      readonly to: LevelName | "DELETED";
      readonly why: string;
    }
  | { readonly kind: "wait"; readonly until: Ms; readonly why: string }
  /** Something must be known first; the observer looks at it on the next pass. */
  | { readonly kind: "look"; readonly at: readonly ConditionKey[]; readonly why: string }
  | { readonly kind: "rest"; readonly why: string };

/** What to do next for a row whose conditions and phase were just judged. One step, towards the newest wish. */
export function plan(row: Workspace, now: Ms): Plan {
  if (row.operation !== "NONE") return { kind: "rest", why: `${row.operation} is under way` };
  const step = row.deletedAt !== null ? planDeletion(row) : planLevel(row);
  if (step === null) return { kind: "rest", why: "as wished" };
  if (typeof step === "string") return { kind: "rest", why: step };
  if (step.operation === "STARTING" && isCrashLooping(row, now))
    return { kind: "rest", why: "it keeps ending by itself" };
  const blind = unknownAmong(row.conditions, step.needs, now);
  if (blind.length > 0) return { kind: "look", at: blind, why: `cannot see ${blind.join(", ")}` };
  if (row.nextAttemptAt !== null && row.nextAttemptAt > now && row.homeCtx.failedWish === row.desiredVersion) {
    return { kind: "wait", until: row.nextAttemptAt, why: `${step.operation} failed and is tried again later` };
  }
  return { kind: "operate", operation: step.operation, to: step.to, why: step.why };
}

interface Step {
  readonly operation: OperationName;
  readonly to: LevelName | "DELETED";
  readonly needs: readonly ConditionKey[];
  readonly why: string;
}

function planLevel(row: Workspace): Step | string | null {
  const { phase, desiredState } = row;
  if (phase === "ERROR") return "in ERROR until it is recovered";
  if (!isLevel(phase) || !isLevel(desiredState)) return `no step from ${phase} to ${desiredState}`;
  if (phase === "RUNNING" && restartPending(row)) return edge("STOPPING", "a restart was asked for");
  // A leftover container on a home that should rest keeps the volume busy: it goes first.
  if (phase === "STANDBY" && LEVELS[desiredState] <= LEVELS.STANDBY && containerMayBeThere(row)) {
    return edge("STOPPING", "a container is left on the volume");
  }
  if (phase === desiredState) return null;
  const operation = edgeTowards(phase, desiredState);
  if (operation === null) return `no step from ${phase} to ${desiredState}`;
  const refusal = forbidden(row, operation);
  return refusal ?? edge(operation, `${desiredState} is wished, ${phase} is there`);
}

/** The edge in the wished direction that goes furthest without overshooting. */
export function edgeTowards(phase: LevelName, desired: LevelName): keyof typeof EDGES | null {
  const up = LEVELS[desired] > LEVELS[phase];
  let best: keyof typeof EDGES | null = null;
  for (const name of Object.keys(EDGES) as (keyof typeof EDGES)[]) {
    const { from, to } = EDGES[name];
    if (from !== phase) continue;
    const towards = up
      ? LEVELS[to] > LEVELS[from] && LEVELS[to] <= LEVELS[desired]
      : LEVELS[to] < LEVELS[from] && LEVELS[to] >= LEVELS[desired];
    if (towards && (best === null || Math.abs(LEVELS[to] - LEVELS[from]) > distance(best))) best = name;
  }
  return best;
}

const distance = (name: keyof typeof EDGES): number => Math.abs(LEVELS[EDGES[name].to] - LEVELS[EDGES[name].from]);

const edge = (operation: keyof typeof EDGES, why: string): Step => ({
  operation,
  to: EDGES[operation].to,
  needs: EDGES[operation].needs,
  why,
});

/** A home that the row knows is never built over, whatever the conditions say. */
function forbidden(row: Workspace, operation: OperationName): string | null {
  const owned = row.homeVolume !== null;
  if (operation === "RESTORING" && (owned || row.archiveKey === null)) return "the home is not in an archive";
  if ((operation === "PROVISIONING" || operation === "CREATE_EMPTY_ARCHIVE") && (owned || row.archiveKey !== null)) {
    return "the row already leads to a home";
  }
  return null;
}

/** Last copy first; only a purge or an expired retention lets go of data. A stored error stops none of it. */
function planDeletion(row: Workspace): Step | string | null {
  if (containerMayBeThere(row)) return edge("STOPPING", "deleted: the container goes first");
  if (row.purge || row.expiredAt !== null) {
    if (row.homeVolume === null && row.archiveKey === null) return null;
    const why = row.purge ? "purged" : "the time for undo is over";
    return { operation: "DELETING", to: "DELETED", needs: CONTAINER, why };
  }
  if (row.homeVolume === null) return null;
  if (tri(row.conditions, "storage.volume_ready") === "false") return "no last copy can be made: the volume is gone";
  return edge("ARCHIVING", "deleted: a last copy is made for undo");
}

const containerMayBeThere = (row: Workspace): boolean => tri(row.conditions, "infra.container_present") !== "false";

export function requestPending(row: Workspace): boolean {
  return row.request !== null && row.request.version > row.requestDone;
}

const restartPending = (row: Workspace): boolean => requestPending(row) && row.request?.action.kind === "restart";

function unknownAmong(conditions: Conditions, needs: readonly ConditionKey[], now: Ms): ConditionKey[] {
  return needs.filter((key) => {
    if (tri(conditions, key) === "unknown") return true;
    if (key !== "storage.archive_ready") return false;
    const checkedAt = conditions[key]?.checkedAt;
    // An answer from the future was dated by another clock: that is no reason to believe it.
    return checkedAt === undefined || Math.abs(now - checkedAt) > ARCHIVE_FRESH_MS;
  });
}

/** Nothing left to do, as far as the row tells: the question that indexes and cadences ask. */
export function isSettled(row: Workspace): boolean {
  if (row.operation !== "NONE" || requestPending(row)) return false;
  if (row.deletedAt !== null) {
    return row.phase === "DELETED" && !((row.purge || row.expiredAt !== null) && row.archiveKey !== null);
  }
  return row.phase === "ERROR" || row.phase === row.desiredState;
}

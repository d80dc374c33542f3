import { type ConditionKey, type Conditions, tri } from "#core/rows/condition.ts";
import type { Reason } from "#core/rows/meaning.ts";
import { LEVELS, type LevelName, type ListedColumns, type Ms, type OperationName } from "#core/rows/workspace.ts";
import { isCrashLooping } from "./crash-loop.ts";
import { OPERATIONS, type OperationTable } from "./operations.ts";
import { isLevel } from "./phase.ts";

/** How old the answer about the archive may be when a home is rebuilt from it. */
export const ARCHIVE_FRESH_MS = 60_000;

export type Plan =
  | {
      readonly kind: "operate";
      readonly operation: OperationName;
      readonly to: LevelName | "DELETED";
      readonly why: Reason;
    }
  | { readonly kind: "wait"; readonly until: Ms; readonly operation: OperationName }
  /** Something must be known first; the observer looks at it on the next pass. */
  | { readonly kind: "look"; readonly at: readonly ConditionKey[] }
  | { readonly kind: "rest"; readonly why: RestReason };

/** Why there is nothing to do. */
export type RestReason =
  | "operating"
  | "as_requested"
  | "crash_looping"
  | "in_error"
  | "no_step"
  | "not_archived"
  | "has_home"
  | "no_last_copy";

/** What to do next for a row whose conditions and phase were just judged. One step, towards the newest request. */
export function plan(row: ListedColumns, now: Ms, table: OperationTable = OPERATIONS): Plan {
  if (row.operation !== "NONE") return { kind: "rest", why: "operating" };
  const wanted = stepWanted(row, table);
  if (wanted === null) return { kind: "rest", why: "as_requested" };
  if (typeof wanted === "string") return { kind: "rest", why: wanted };
  if (table[wanted.operation].makes === "container" && isCrashLooping(row, now))
    return { kind: "rest", why: "crash_looping" };
  const { operation, why } = firstOf(row, wanted, table);
  const { edge, needs } = table[operation];
  const blind = unknownAmong(row.conditions, needs, now);
  if (blind.length > 0) return { kind: "look", at: blind };
  if (row.nextAttemptAt !== null && row.nextAttemptAt > now && row.homeCtx.failedRequest === row.desiredVersion) {
    return { kind: "wait", until: row.nextAttemptAt, operation };
  }
  return { kind: "operate", operation, to: edge?.to ?? "DELETED", why };
}

interface Step {
  readonly operation: OperationName;
  readonly why: Reason;
}

/** The part of the plan that no clock has a say in. */
const stepWanted = (row: ListedColumns, table: OperationTable): Step | RestReason | null =>
  row.deletedAt !== null ? planDeletion(row) : planLevel(row, table);

/** Whether the plan for this row is the same whenever it is made. */
export const plansAlike = (row: ListedColumns): boolean =>
  row.operation !== "NONE" || typeof (stepWanted(row, OPERATIONS) ?? "as_requested") === "string";

const LEFT_ON_VOLUME: Reason = { code: "leftover_container" };

const step = (operation: OperationName, why: Reason): Step => ({ operation, why });

function planLevel(row: ListedColumns, table: OperationTable): Step | RestReason | null {
  const { phase, desiredState } = row;
  if (phase === "ERROR") return "in_error";
  if (!isLevel(phase) || !isLevel(desiredState)) return "no_step";
  if (phase === "RUNNING" && restartPending(row)) return step("STOPPING", { code: "restart_requested" });
  // A leftover container on a home that should rest keeps the volume busy: it goes first.
  if (phase === "STANDBY" && LEVELS[desiredState] <= LEVELS.STANDBY && containerMayBeThere(row)) {
    return step("STOPPING", LEFT_ON_VOLUME);
  }
  if (phase === desiredState) return null;
  const operation = edgeTowards(row, phase, desiredState, table);
  if (operation === null) return "no_step";
  const refusal = forbidden(row, table[operation].home);
  return refusal ?? step(operation, { code: "towards_request", fields: { requested: desiredState } });
}

/** The edge in the requested direction that goes furthest without overshooting; at the same length one for rows like this. */
export function edgeTowards(
  row: ListedColumns,
  phase: LevelName,
  desired: LevelName,
  table: OperationTable = OPERATIONS,
): OperationName | null {
  const [here, there] = [LEVELS[phase], LEVELS[desired]];
  let best: { readonly name: OperationName; readonly far: number; readonly special: boolean } | null = null;
  for (const name of Object.keys(table) as OperationName[]) {
    const { edge } = table[name];
    if (edge === null || edge.from !== phase || edge.when?.(row) === false) continue;
    const to = LEVELS[edge.to];
    const towards = there > here ? to > here && to <= there : to < here && to >= there;
    if (!towards) continue;
    const found = { name, far: Math.abs(to - here), special: edge.when !== undefined };
    if (best === null || found.far > best.far || (found.far === best.far && found.special && !best.special))
      best = found;
  }
  return best?.name ?? null;
}

/** What is due before the step that leads on, or that step itself. Like every work on a home at rest it has it alone. */
function firstOf(row: ListedColumns, wanted: Step, table: OperationTable): Step {
  const due = dueBefore(row, wanted.operation, table);
  if (due === null) return wanted;
  const atRest = row.phase !== "RUNNING" && containerMayBeThere(row);
  return atRest
    ? step("STOPPING", LEFT_ON_VOLUME)
    : step(due, { code: "due_before", fields: { after: wanted.operation } });
}

export function dueBefore(row: ListedColumns, operation: OperationName, table: OperationTable): OperationName | null {
  const due = (Object.keys(table) as OperationName[]).find((name) => {
    const { before } = table[name];
    return before?.operation === operation && before.due(row);
  });
  return due ?? null;
}

function forbidden(row: ListedColumns, home: OperationTable[OperationName]["home"]): RestReason | null {
  const owned = row.homeVolume !== null;
  if (home === "archive" && (owned || row.archiveKey === null)) return "not_archived";
  if (home === "nowhere" && (owned || row.archiveKey !== null)) return "has_home";
  return null;
}

/** Last copy first; only a purge or an expired retention lets go of data. A stored error stops none of it. */
function planDeletion(row: ListedColumns): Step | RestReason | null {
  if (containerMayBeThere(row)) return step("STOPPING", { code: "deleted_stop_first" });
  if (row.purge || row.expiredAt !== null) {
    if (row.homeVolume === null && row.archiveKey === null) return null;
    return step("DELETING", { code: row.purge ? "purged" : "undo_over" });
  }
  if (row.homeVolume === null) return null;
  if (tri(row.conditions, "storage.volume_ready") === "false") return "no_last_copy";
  return step("ARCHIVING", { code: "deleted_last_copy" });
}

const containerMayBeThere = (row: ListedColumns): boolean => tri(row.conditions, "infra.container_present") !== "false";

export function requestPending(row: ListedColumns): boolean {
  return row.request !== null && row.request.version > row.requestDone;
}

const restartPending = (row: ListedColumns): boolean => requestPending(row) && row.request?.action.kind === "restart";

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
export function isSettled(row: ListedColumns): boolean {
  if (row.operation !== "NONE" || requestPending(row)) return false;
  if (row.deletedAt !== null) {
    return row.phase === "DELETED" && !((row.purge || row.expiredAt !== null) && row.archiveKey !== null);
  }
  return row.phase === "ERROR" || row.phase === row.desiredState;
}

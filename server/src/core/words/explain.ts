import { CONDITION_KEYS, type Condition, type ConditionKey, tri } from "#core/rows/condition.ts";
import { type Fields, moment } from "#core/rows/meaning.ts";
import type { LevelName, Ms, OperationName, Phase, Workspace } from "#core/rows/workspace.ts";
import { OPERATIONS, type OperationTable } from "#core/rules/operations.ts";
import { isLevel } from "#core/rules/phase.ts";
import { dueBefore, edgeTowards } from "#core/rules/plan.ts";

export interface Because {
  readonly condition: string;
  /** Null while nobody knows. */
  readonly holds: boolean | null;
  readonly seen: Condition;
  readonly since: Ms;
}

export interface Blocker {
  /** error: a person has to look. retry: it is tried again by itself. unknown: the condition cannot be seen. */
  readonly kind: "error" | "retry" | "unknown";
  readonly code: string;
  readonly condition: ConditionKey | null;
  readonly retryAt: Ms | null;
  readonly fields: Fields;
  readonly detail: string;
  readonly since: Ms | null;
}

export interface PhaseReason {
  /** The phase itself, or in ERROR the reason of the error. */
  readonly code: string;
  readonly fields: Fields;
  readonly detail: string;
  readonly since: Ms;
}

export function whyPhase(row: Workspace): PhaseReason {
  const health = row.conditions["policy.healthy"];
  const { ended } = row.homeCtx;
  if (row.phase === "STANDBY" && ended !== null) {
    const fields = { ...ended.fields, ended: ended.code, ended_at: moment(ended.at) };
    return { code: row.phase, fields, detail: ended.message, since: row.phaseChangedAt };
  }
  if (row.phase !== "ERROR" || health === undefined)
    return { code: row.phase, fields: {}, detail: "", since: row.phaseChangedAt };
  return { code: health.reason, fields: health.fields ?? {}, detail: health.message, since: row.phaseChangedAt };
}

/** The known conditions in the order the phase is computed from, then any this version does not know. */
export function because(row: Workspace): readonly Because[] {
  const known: readonly string[] = CONDITION_KEYS;
  const others = Object.keys(row.conditions).filter((key) => !known.includes(key));
  return [...known, ...others].flatMap((key) => {
    const condition = row.conditions[key];
    if (condition === undefined) return [];
    const holds = condition.unknownSince === undefined ? condition.status : null;
    return [
      {
        condition: key,
        holds,
        seen: condition,
        since: condition.unknownSince ?? condition.lastTransitionTime,
      },
    ];
  });
}

export interface PathStep {
  readonly operation: OperationName;
  readonly to: Phase;
}

/** The operations between here and the request, in order; empty when there is nothing to do or no way. */
export function pathToRequested(row: Workspace, table: OperationTable = OPERATIONS): readonly PathStep[] {
  if (row.deletedAt !== null) return deletionPath(row);
  const path: PathStep[] = [];
  let at: Phase = row.phase;
  const underWay = row.operation === "NONE" ? null : table[row.operation].edge;
  if (row.operation !== "NONE" && underWay !== null) {
    at = underWay.to;
    path.push({ operation: row.operation, to: at });
  }
  if (!isLevel(row.desiredState)) return path;
  const goal: LevelName = row.desiredState;
  while (isLevel(at) && at !== goal) {
    const operation = edgeTowards(row, at, goal, table);
    const edge = operation === null ? null : table[operation].edge;
    if (operation === null || edge === null) return path;
    const first = at === row.phase && row.operation === "NONE" ? dueBefore(row, operation, table) : null;
    if (first !== null) path.push({ operation: first, to: at });
    at = edge.to;
    path.push({ operation, to: at });
  }
  return path;
}

function deletionPath(row: Workspace): readonly PathStep[] {
  const copies = !row.purge && row.expiredAt === null;
  const path: PathStep[] = [];
  if (tri(row.conditions, "infra.container_present") === "true") path.push({ operation: "STOPPING", to: "DELETING" });
  if (row.homeVolume !== null && copies) path.push({ operation: "ARCHIVING", to: "DELETED" });
  if (!copies && (row.homeVolume !== null || row.archiveKey !== null))
    path.push({ operation: "DELETING", to: "DELETED" });
  return path;
}

/** Whatever keeps the workspace from its request right now. */
export function blockersOf(row: Workspace, now: Ms): readonly Blocker[] {
  const blind = CONDITION_KEYS.flatMap((key) => unknownBlocker(row, key) ?? []);
  const failed = failedBlocker(row, now);
  return failed === null ? blind : [failed, ...blind];
}

function failedBlocker(row: Workspace, now: Ms): Blocker | null {
  const { errorReason: code, errorInfo: info, nextAttemptAt } = row;
  if (code === null) return null;
  const told = info ?? row.conditions["policy.healthy"];
  const about = { code, condition: null, fields: told?.fields ?? {}, detail: told?.message ?? "" };
  if (row.phase === "ERROR")
    return { ...about, kind: "error", retryAt: null, since: info?.occurredAt ?? row.phaseChangedAt };
  if (nextAttemptAt === null || nextAttemptAt <= now) return null;
  return { ...about, kind: "retry", retryAt: nextAttemptAt, since: info?.occurredAt ?? null };
}

function unknownBlocker(row: Workspace, key: ConditionKey): Blocker | null {
  const seen = row.conditions[key];
  if (seen?.unknownSince === undefined) return null;
  const { reason: code, fields = {}, message: detail, unknownSince: since } = seen;
  return { kind: "unknown", code, condition: key, retryAt: null, fields, detail, since };
}

import { CONDITION_KEYS, type ConditionKey, tri } from "#core/rows/condition.ts";
import type { LevelName, Ms, OperationName, Phase, Workspace } from "#core/rows/workspace.ts";
import { OPERATIONS, type OperationTable } from "#core/rules/operations.ts";
import { isLevel } from "#core/rules/phase.ts";
import { dueBefore, edgeTowards } from "#core/rules/plan.ts";
import { clockTime, duration, REMEDIES } from "./words.ts";

export interface Because {
  readonly condition: string;
  /** Null while nobody knows. */
  readonly holds: boolean | null;
  readonly message: string;
  readonly since: Ms;
}

export interface Blocker {
  readonly code: string;
  readonly message: string;
  readonly since: Ms | null;
  readonly whatToDo: string;
}

const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  PENDING: "there is neither a volume nor an archive",
  ARCHIVED: "the home is in an archive and on no volume",
  STANDBY: "the home is on a volume and no container answers",
  RUNNING: "the container answers and the home is on its volume",
  ERROR: "something is wrong that needs a person or has to go away",
  DELETING: "it was deleted and its container, volume or last copy are still being dealt with",
  DELETED: "it was deleted",
};

export function whyPhase(row: Workspace, now: Ms): string {
  const since = `${row.phase} since ${clockTime(row.phaseChangedAt, now)}`;
  const health = row.conditions["policy.healthy"];
  if (row.phase === "ERROR" && health !== undefined) return `${since}: ${health.reason}. ${health.message}`;
  return `${since}: ${PHASE_WORDS[row.phase]}.`;
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
        message: condition.message,
        since: condition.unknownSince ?? condition.lastTransitionTime,
      },
    ];
  });
}

export interface PathStep {
  readonly operation: OperationName;
  readonly to: Phase;
}

/** The operations between here and the wish, in order; empty when there is nothing to do or no way. */
export function pathToWish(row: Workspace, table: OperationTable = OPERATIONS): readonly PathStep[] {
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

const BLIND_REMEDIES: Readonly<Record<string, string>> = {
  "storage.archive_ready": "The archive store has to answer again; nothing else needs to be done.",
  "storage.volume_ready": "The engine has to answer again; nothing else needs to be done.",
};

/** Whatever keeps the workspace from its wish right now. */
export function blockersOf(row: Workspace, now: Ms): readonly Blocker[] {
  const blockers: Blocker[] = [];
  if (row.phase === "ERROR" && row.errorReason !== null) {
    blockers.push({
      code: row.errorReason,
      message: row.errorInfo?.message ?? row.conditions["policy.healthy"]?.message ?? "The workspace is in ERROR.",
      since: row.errorInfo?.occurredAt ?? row.phaseChangedAt,
      whatToDo: REMEDIES[row.errorReason],
    });
  } else if (row.errorReason !== null && row.nextAttemptAt !== null && row.nextAttemptAt > now) {
    blockers.push({
      code: row.errorReason,
      message: `${row.errorInfo?.message ?? "The last attempt failed."} It is tried again in ${duration(row.nextAttemptAt - now)}.`,
      since: row.errorInfo?.occurredAt ?? null,
      whatToDo: REMEDIES[row.errorReason],
    });
  }
  for (const key of CONDITION_KEYS) {
    const blind = unknownBlocker(row, key, now);
    if (blind !== null) blockers.push(blind);
  }
  return blockers;
}

function unknownBlocker(row: Workspace, key: ConditionKey, now: Ms): Blocker | null {
  const condition = row.conditions[key];
  if (condition?.unknownSince === undefined) return null;
  return {
    code: condition.reason,
    message: `${key} is unknown since ${clockTime(condition.unknownSince, now)}: ${condition.message}`,
    since: condition.unknownSince,
    whatToDo: BLIND_REMEDIES[key] ?? "The engine has to answer again; nothing else needs to be done.",
  };
}

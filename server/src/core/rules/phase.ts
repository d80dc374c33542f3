import { type Conditions, lastStatus } from "#core/rows/condition.ts";
import { LEVELS, type LevelName, type Operation, type Phase, type Workspace } from "#core/rows/workspace.ts";

export interface PhaseFacts {
  readonly conditions: Conditions;
  readonly deleted: boolean;
  readonly homeVolume: string | null;
  readonly operation: Operation;
}

/** Pure, total and memoryless: the same facts give the same phase, and there are no facts without one. */
export function phaseOf(facts: PhaseFacts): Phase {
  const { conditions } = facts;
  if (facts.deleted) {
    const rests =
      lastStatus(conditions, "infra.container_present") || facts.homeVolume !== null || facts.operation !== "NONE";
    return rests ? "DELETING" : "DELETED";
  }
  // A row that was never judged is not ill: health is false only where somebody said so.
  if (conditions["policy.healthy"]?.status === false) return "ERROR";
  const volume = lastStatus(conditions, "storage.volume_ready");
  if (volume && lastStatus(conditions, "infra.container_ready")) return "RUNNING";
  if (volume) return "STANDBY";
  if (lastStatus(conditions, "storage.archive_ready")) return "ARCHIVED";
  return "PENDING";
}

export function isLevel(phase: Phase | "DELETED"): phase is LevelName {
  return Object.hasOwn(LEVELS, phase);
}

/** A confirmed reset is over: there is no home left that a visit could keep from being emptied. */
export const isEmptied = (row: Workspace): boolean =>
  row.desiredState === "PENDING" &&
  row.phase === "PENDING" &&
  row.operation === "NONE" &&
  row.homeVolume === null &&
  row.archiveKey === null;

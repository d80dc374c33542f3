import { type Condition, type Conditions, known, NODE_SILENT, unknown } from "#core/rows/condition.ts";
import { failureFields } from "#core/rows/meaning.ts";
import type { ContainerSeen, Observation } from "#core/rows/observation.ts";
import type { Ms, Phase, Workspace } from "#core/rows/workspace.ts";
import { clearsByItself, type Failure } from "./errors.ts";
import { OPERATIONS } from "./operations.ts";
import { phaseOf } from "./phase.ts";

/** A volume is believed to be gone only after two looks at least this far apart. */
export const MISSING_CONFIRM_MS = 10_000;

export interface Verdict {
  readonly conditions: Conditions;
  readonly phase: Phase;
  /** Set when what was seen is itself an error; null when the world is as the row says. */
  readonly seenError: Failure | null;
}

/** Turns one look at the world into conditions and a phase. Never decides what to do about them. */
export function judge(row: Workspace, observation: Observation): Verdict {
  const now = observation.at;
  const conditions: Record<string, Condition> = {
    ...row.conditions,
    "storage.volume_ready": judgeVolume(row, observation, now),
    "storage.archive_ready": judgeArchive(row, observation, now),
    ...judgeContainers(row, observation, now),
  };
  const seenError = row.operation === "NONE" ? errorSeen(row, conditions) : null;
  conditions["policy.healthy"] = judgeHealth(row, seenError, now);
  const phase = phaseOf({
    conditions,
    deleted: row.deletedAt !== null,
    homeVolume: row.homeVolume,
    operation: row.operation,
  });
  return { conditions, phase, seenError };
}

function judgeVolume(row: Workspace, { volume }: Observation, now: Ms): Condition {
  const previous = row.conditions["storage.volume_ready"];
  if (row.homeVolume === null) return known(previous, false, "NoVolume", now);
  const fields = { volume: row.homeVolume };
  if (!volume.known) return unknown(previous, "VolumeUnknown", now, volume.fields, volume.why);
  if (volume.value) return known(previous, true, "VolumeFound", now, fields);
  const missingSince = previous?.missingSince ?? now;
  const judged =
    now - missingSince >= MISSING_CONFIRM_MS
      ? known(previous, false, "VolumeMissing", now, fields)
      : unknown(previous, "VolumeMissingOnce", now, fields);
  return { ...judged, missingSince };
}

function judgeArchive(row: Workspace, { archive }: Observation, now: Ms): Condition {
  const previous = row.conditions["storage.archive_ready"];
  if (row.archiveKey === null) return known(previous, false, "NoArchive", now);
  if (archive === null) return previous ?? unknown(undefined, "ArchiveUnchecked", now);
  if (!archive.known) return unknown(previous, "ArchiveUnreachable", now, archive.fields, archive.why);
  const judged = archive.value.readable
    ? known(previous, true, "ArchiveUploaded", now)
    : known(previous, false, archive.value.reason, now, archive.value.fields);
  return { ...judged, checkedAt: now };
}

function judgeContainers(row: Workspace, { containers }: Observation, now: Ms): Conditions {
  const ready = row.conditions["infra.container_ready"];
  const present = row.conditions["infra.container_present"];
  if (!containers.known) {
    return {
      "infra.container_ready": unknown(ready, "EngineUnreachable", now, containers.fields, containers.why),
      "infra.container_present": unknown(present, "EngineUnreachable", now, containers.fields, containers.why),
    };
  }
  const recorded = containers.value.find((container) => isRecorded(row, container));
  const runs = recorded?.state === "running";
  const { message = "", ...about } = (runs ? undefined : recorded?.ended?.fields) ?? {};
  const why = runs || recorded?.ended === undefined ? {} : { ...about, ended: recorded.ended.code };
  const count = containers.value.length;
  return {
    "infra.container_ready": known(
      ready,
      runs,
      runs ? "ContainerRunning" : recorded ? "ContainerExited" : "NoContainer",
      now,
      why,
      String(message),
    ),
    "infra.container_present": silentOr(
      containers.value,
      known(present, count > 0, count > 0 ? "ContainerFound" : "NoContainer", now, { count }),
    ),
  };
}

/** A container that may be there or not is there; on which machine is what a person has to know who looks after it. */
function silentOr(containers: readonly ContainerSeen[], found: Condition): Condition {
  const silent = containers.find((container) => container.silentNode !== undefined);
  if (silent === undefined) return found;
  const fields = { ...found.fields, node: silent.silentNode ?? null, container: silent.id };
  return { ...found, reason: NODE_SILENT, fields };
}

/** Only the instance that STARTING recorded is this workspace's container. Everything else is a leftover. */
export function isRecorded(row: Workspace, container: ContainerSeen): boolean {
  return (
    row.endpoint !== null && container.id === row.endpoint.containerId && container.attempt === row.endpoint.attempt
  );
}

/** A container nobody may reach and nobody waits for: not the recorded one, not of the attempt under way. */
export function isLeftover(row: Workspace, container: ContainerSeen): boolean {
  if (isRecorded(row, container)) return false;
  const starting = row.operation !== "NONE" && OPERATIONS[row.operation].makes === "container";
  return !(starting && container.attempt === row.opId);
}

/** First match wins. Only positive answers count: an unknown condition keeps the last positive one. */
function errorSeen(row: Workspace, conditions: Conditions): Failure | null {
  const volume = conditions["storage.volume_ready"];
  const volumeLost = row.homeVolume !== null && volume?.status === false && volume.missingSince !== undefined;
  const lost = (failure: string) => failureFields(failure, { volume: row.homeVolume });
  if (volumeLost && conditions["infra.container_ready"]?.status === true) {
    return { reason: "ContainerWithoutVolume", fields: lost("container_without_volume"), message: "" };
  }
  if (volumeLost) {
    return { reason: "DataLost", fields: lost("volume_lost"), message: "" };
  }
  const archive = conditions["storage.archive_ready"];
  const archiveIsHome = row.homeVolume === null && row.archiveKey !== null;
  if (archiveIsHome && archive?.status === false && archive.checkedAt !== undefined) {
    const { fields, message } = archive;
    return { reason: "ArchiveAccessError", message, ...(fields === undefined ? {} : { fields }) };
  }
  return null;
}

/** The light that an error turns off says what the error says. */
export function unhealthy(previous: Condition | undefined, error: Failure, now: Ms): Condition {
  const { fields, ...condition } = known(previous, false, error.reason, now, error.fields, error.message);
  return error.fields === undefined ? condition : { ...condition, fields: error.fields };
}

function judgeHealth(row: Workspace, seenError: Failure | null, now: Ms): Condition {
  const previous = row.conditions["policy.healthy"];
  // An operation under way ends by itself, well or with its own error: ERROR never stands beside an operation.
  if (row.operation !== "NONE") return known(previous, true, "Operating", now);
  if (seenError !== null) return unhealthy(previous, seenError, now);
  const stored = row.errorInfo;
  if (stored?.isTerminal === true && !clearsByItself(stored.reason)) {
    return unhealthy(previous, stored, now);
  }
  return known(previous, true, "Healthy", now);
}

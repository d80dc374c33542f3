import { type Conditions, sameCondition } from "#core/rows/condition.ts";
import { failureFields, type Reason } from "#core/rows/meaning.ts";
import type { EventLine, Facts, Mutation } from "#core/rows/mutation.ts";
import { volumeName } from "#core/rows/names.ts";
import type { Observation } from "#core/rows/observation.ts";
import type { ContainerEnd, Ms, OperationName, VerdictColumns, VolumeRecord, Workspace } from "#core/rows/workspace.ts";
import { endSeen } from "./container-end.ts";
import { EXIT_LIMIT, EXIT_WINDOW_MS, isCrashLooping } from "./crash-loop.ts";
import { type ErrorInfo, type Failure, judgeFailure } from "./errors.ts";
import { judge, unhealthy } from "./judge.ts";
import { OPERATIONS, type OperationTable } from "./operations.ts";
import { phaseOf } from "./phase.ts";
import { backoffMs } from "./retry.ts";

const COORDINATOR = "coordinator";

const building = (row: Workspace, attempt: string): VolumeRecord => ({
  name: volumeName(row.id, attempt),
  workspaceId: row.id,
  attempt,
  state: "building",
  retiredAt: null,
});

/** Volumes that an attempt was filling and that nobody will finish. */
export const abandoned = (volumes: readonly VolumeRecord[], now: Ms): VolumeRecord[] =>
  volumes
    .filter((volume) => volume.state === "building")
    .map((volume) => ({ ...volume, state: "retired", retiredAt: now }));

function line(
  kind: string,
  row: Workspace,
  to: string | null,
  code: string,
  details?: EventLine["details"],
): EventLine {
  return { actor: COORDINATOR, kind, from: row.phase, to, code, ...(details === undefined ? {} : { details }) };
}

/** The phase is a cache: it is written with the facts it follows from, and its time moves only when it does. */
export function withPhase(row: Workspace, patch: Partial<VerdictColumns>, now: Ms): Partial<VerdictColumns> {
  const next = { ...row, ...patch };
  const phase = phaseOf({
    conditions: next.conditions,
    deleted: row.deletedAt !== null,
    homeVolume: next.homeVolume,
    operation: next.operation,
  });
  return phase === row.phase ? patch : { ...patch, phase, phaseChangedAt: now };
}

export interface ClaimInput {
  readonly rowVersion: number;
  readonly operation: OperationName;
  readonly opId: string;
  readonly epoch: number;
  readonly why: Reason;
}

/** Nothing outside the database happens before this is committed. Refused when the row moved since it was planned from. */
export function claim(facts: Facts, input: ClaimInput, table: OperationTable = OPERATIONS): Mutation | null {
  const { row, now } = facts;
  const { operation, opId } = input;
  const { makes, closesDoor } = table[operation];
  if (row.operation !== "NONE" || row.rowVersion !== input.rowVersion) return null;
  // An attempt whose volume name was ever used would write where another one wrote.
  if (facts.volumes.some((volume) => volume.name === volumeName(row.id, opId))) return null;
  const patch: Partial<VerdictColumns> = {
    operation,
    opId,
    opEpoch: input.epoch,
    opStartedAt: now,
    ...(makes === "archive" ? { archiveOpId: opId } : {}),
    ...(closesDoor ? { endpoint: null } : {}),
    ...(makes === "home" ? { homeCtx: { ...row.homeCtx, restoreMarker: null } } : {}),
  };
  return {
    patch: withPhase(row, patch, now),
    volumes: makes === "home" ? [building(row, opId)] : [],
    events: [
      line("operation_started", row, operation, input.why.code, {
        ...input.why.fields,
        op_id: opId,
        epoch: input.epoch,
      }),
    ],
  };
}

export interface TakeOverInput {
  readonly opId: string;
  readonly freshOpId: string;
  readonly epoch: number;
}

/**
 * A new leader makes an operation its own before it touches anything. Where work half done by another could be
 * shared, the attempt is a new one; the caller has confirmed that the old attempt's job is gone.
 */
export function takeOver(facts: Facts, input: TakeOverInput, table: OperationTable = OPERATIONS): Mutation | null {
  const { row, now } = facts;
  if (row.operation === "NONE" || row.opId !== input.opId) return null;
  const { makes, freshOnTakeover: fresh } = table[row.operation];
  const opId = fresh ? input.freshOpId : input.opId;
  const patch: Partial<VerdictColumns> = {
    opId,
    opEpoch: input.epoch,
    opStartedAt: now,
    ...(makes === "archive" ? { archiveOpId: opId } : {}),
  };
  const volumes = fresh ? abandoned(facts.volumes, now) : [];
  if (makes === "home") volumes.push(building(row, opId));
  return {
    patch,
    volumes,
    events: [
      line("operation_taken_over", row, row.operation, "leader_gone", {
        op_id: opId,
        before: input.opId,
        epoch: input.epoch,
      }),
    ],
  };
}

/** Whether this attempt is still the row's: the fence every commit passes. */
export function owns(row: Workspace, operation: OperationName, opId: string, epoch: number): boolean {
  return row.operation === operation && row.opId === opId && row.opEpoch === epoch;
}

export const CLEARED: Pick<
  VerdictColumns,
  | "operation"
  | "opId"
  | "opEpoch"
  | "opStartedAt"
  | "errorReason"
  | "errorCount"
  | "errorInfo"
  | "reconcileFailureCount"
  | "nextAttemptAt"
> = {
  operation: "NONE",
  opId: null,
  opEpoch: null,
  opStartedAt: null,
  errorReason: null,
  errorCount: 0,
  errorInfo: null,
  reconcileFailureCount: 0,
  nextAttemptAt: null,
};

export interface FailInput {
  readonly operation: OperationName;
  readonly opId: string;
  readonly epoch: number;
  readonly failure: Failure;
  readonly maxAttempts: number;
  readonly minimumBackoffMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** An attempt that did not work: tried again after a backoff, or ERROR, in one transaction. */
export function fail(facts: Facts, input: FailInput): Mutation | null {
  const { row, now } = facts;
  if (!owns(row, input.operation, input.opId, input.epoch)) return null;
  const before = row.errorInfo;
  const counted = before !== null && !before.isTerminal && before.operation === input.operation ? before.attempts : 0;
  const outage = input.failure.reason === "Unreachable" || input.failure.reason === "DiskFull";
  const attempts = outage ? counted : counted + 1;
  const verdict = judgeFailure(input.failure.reason, attempts, input.maxAttempts);
  const failures = row.reconcileFailureCount + 1;
  const stop = {
    operation: "NONE",
    opId: null,
    opEpoch: null,
    opStartedAt: null,
    reconcileFailureCount: failures,
    homeCtx: { ...row.homeCtx, failedRequest: row.desiredVersion },
    nextAttemptAt: now + backoffMs(failures, input.random, input.minimumBackoffMs),
  } as const;
  const { fields, message } = input.failure;
  const tried = { operation: input.operation, message, attempts, ...(fields === undefined ? {} : { fields }) };
  const details = { ...fields, op_id: input.opId, operation: input.operation, message, attempts };
  // A deleted row is never stopped by an error: its last copy is tried again until it is made or not needed.
  if (verdict.kind === "retry" || row.deletedAt !== null) {
    const info = errorInfo(row, { ...tried, reason: input.failure.reason, isTerminal: false }, now);
    return {
      patch: withPhase(row, { ...stop, errorReason: info.reason, errorInfo: info }, now),
      volumes: abandoned(facts.volumes, now),
      events: [line("attempt_failed", row, input.operation, input.failure.reason, details)],
    };
  }
  const info = errorInfo(row, { ...tried, reason: verdict.reason, isTerminal: true }, now);
  return {
    patch: intoError(row, { ...stop, nextAttemptAt: null }, info, now),
    volumes: abandoned(facts.volumes, now),
    events: [line("error", row, "ERROR", verdict.reason, details)],
  };
}

function errorInfo(
  row: Workspace,
  about: Pick<ErrorInfo, "reason" | "fields" | "message" | "operation" | "attempts" | "isTerminal">,
  now: Ms,
): ErrorInfo {
  const elapsedMs = row.opStartedAt === null ? null : now - row.opStartedAt;
  return { ...about, elapsedMs, previousPhase: row.phase, occurredAt: now };
}

function intoError(row: Workspace, patch: Partial<VerdictColumns>, info: ErrorInfo, now: Ms): Partial<VerdictColumns> {
  const healthy = unhealthy(row.conditions["policy.healthy"], info, now);
  const conditions = { ...row.conditions, ...patch.conditions, "policy.healthy": healthy };
  const error = { errorReason: info.reason, errorCount: row.errorCount + 1, errorInfo: info };
  return withPhase(row, { ...patch, ...error, conditions }, now);
}

/** Without any change a row is touched this often, to show that somebody still looks. */
const OBSERVED_EVERY_MS = 300_000;

/** Records what was seen, if it says anything new. Refused when the row moved since it was looked at. */
export function observe(facts: Facts, observation: Observation, rowVersion: number): Mutation | null {
  const { row, now } = facts;
  if (row.rowVersion !== rowVersion) return null;
  // Every time in a row is the database's: a coordinator whose clock jumps cannot age or rejuvenate what it saw.
  const verdict = judge(row, { ...observation, at: now });
  const changed = conditionsChanged(row.conditions, verdict.conditions);
  const stale = row.observedAt === null || now - row.observedAt >= OBSERVED_EVERY_MS;
  const exits = exitsSeen(row, verdict.conditions, now);
  const ended = endSeen(row, observation, now);
  const patch: Partial<VerdictColumns> = {
    conditions: verdict.conditions,
    observedAt: now,
    ...(exits === null && ended === null
      ? {}
      : { homeCtx: { ...row.homeCtx, exits: exits ?? row.homeCtx.exits, ended: ended ?? row.homeCtx.ended } }),
    ...seenErrorFields(row, verdict.seenError, now),
  };
  const phase = withPhase(row, patch, now);
  if (!changed && !stale && exits === null && ended === null && phase.phase === undefined) return null;
  const events: EventLine[] = [];
  if (phase.phase !== undefined) {
    const error = verdict.seenError;
    const why = error?.fields ?? endFields(row.phase === "RUNNING" ? (ended ?? row.homeCtx.ended) : null);
    events.push(line("phase_changed", row, phase.phase, error?.reason ?? "seen", why));
  }
  return { patch: phase, events };
}

/** Whether that only says once more what the row says, and that it was looked at again. */
export const isOnlyAge = (row: Workspace, mutation: Mutation): boolean =>
  isOnlySeen(mutation) && !conditionsChanged(row.conditions, mutation.patch.conditions ?? row.conditions);

/** Whether that answers everything as the row does, and only differs in whether it could be seen, or why it is so. */
export const isSameAnswer = (row: Workspace, mutation: Mutation): boolean =>
  isOnlySeen(mutation) &&
  Object.entries(mutation.patch.conditions ?? {}).every(([key, after]) => {
    const before = row.conditions[key];
    if (before === undefined || sameCondition(before, after)) return before !== undefined;
    const isMissing = before.missingSince !== undefined || after.missingSince !== undefined;
    return before.status === after.status && !isMissing;
  });

const isOnlySeen = ({ patch, events = [] }: Mutation): boolean =>
  events.length === 0 && Object.keys(patch).every((column) => column === "conditions" || column === "observedAt");

const endFields = (end: ContainerEnd | null): EventLine["details"] =>
  end === null
    ? undefined
    : { ...end.fields, ended: end.code, ...(end.message === "" ? {} : { message: end.message }) };

function conditionsChanged(before: Conditions, after: Conditions): boolean {
  return Object.keys(after).some((key) => !sameCondition(before[key], after[key])) || archiveCheckMoved(before, after);
}

/** The age of the archive's answer is planned from, so a fresh answer is news when the old one has run out. */
function archiveCheckMoved(before: Conditions, after: Conditions): boolean {
  const key = "storage.archive_ready";
  return before[key]?.checkedAt !== after[key]?.checkedAt;
}

/** The recorded container was running and is not any more, and nobody asked for that. */
function exitsSeen(row: Workspace, after: Conditions, now: Ms): readonly Ms[] | null {
  const key = "infra.container_ready";
  const ended = row.conditions[key]?.status === true && after[key]?.status === false;
  if (!ended || row.operation !== "NONE" || row.desiredState !== "RUNNING" || row.endpoint === null) return null;
  return [...row.homeCtx.exits.filter((at) => now - at < EXIT_WINDOW_MS), now];
}

/** Errors that are seen, not tried: stored for people to read, and gone when what was seen is gone. */
function seenErrorFields(row: Workspace, seen: Failure | null, now: Ms): Partial<VerdictColumns> {
  if (row.operation !== "NONE" || row.deletedAt !== null) return {};
  const stored = row.errorInfo;
  if (seen !== null) {
    if (stored?.reason === seen.reason && stored.isTerminal) return {};
    const info = errorInfo(row, { ...seen, operation: "NONE", attempts: 0, isTerminal: true }, now);
    return { errorReason: seen.reason, errorCount: row.errorCount + 1, errorInfo: info };
  }
  const wasSeen =
    stored?.isTerminal === true && (stored.reason === "DataLost" || stored.reason === "ArchiveAccessError");
  return wasSeen ? { errorReason: null, errorInfo: null } : {};
}

/** A container that keeps ending by itself: ERROR with its last words. */
export function giveUpOnContainer(facts: Facts, lastWords: string): Mutation | null {
  const { row, now } = facts;
  if (row.operation !== "NONE" || row.deletedAt !== null || !isCrashLooping(row, now)) return null;
  const fields = failureFields("container_keeps_ending", { count: EXIT_LIMIT });
  const about = {
    reason: "ActionFailed",
    fields,
    message: lastWords,
    operation: "STARTING",
    attempts: EXIT_LIMIT,
    isTerminal: true,
  } as const;
  const info = errorInfo(row, about, now);
  return {
    patch: intoError(row, { nextAttemptAt: null }, info, now),
    events: [line("error", row, "ERROR", "ActionFailed", { ...fields, message: lastWords })],
  };
}

export interface RestoreTest {
  readonly version: number;
  readonly opId: string;
  /** Null when the archive read back whole. */
  readonly failure: Failure | null;
}

/** The result of a restore test: dated on the archive when it passed, told in the history either way. */
export function recordRestoreTest(facts: Facts, test: RestoreTest): Mutation | null {
  const { row, archives, now } = facts;
  if (row.request?.version !== test.version || row.requestDone >= test.version) return null;
  const passed = archives
    .filter((record) => record.opId === test.opId)
    .map((record) => ({ ...record, verifiedAt: now }));
  const kind = test.failure === null ? "restore_test_passed" : "restore_test_failed";
  const code = test.failure?.reason ?? "read_back_whole";
  const about = test.failure === null ? {} : { ...test.failure.fields, message: test.failure.message };
  return {
    patch: { requestDone: test.version },
    archives: test.failure === null ? passed : [],
    events: [line(kind, row, null, code, { ...about, op_id: test.opId })],
  };
}

/** A one-way fact: from here on garbage collection and DELETING may let go of a deleted home. */
export function expire(facts: Facts, retentionMs: number): Mutation | null {
  const { row, now } = facts;
  if (row.deletedAt === null || row.expiredAt !== null || now - row.deletedAt <= retentionMs) return null;
  return { patch: { expiredAt: now }, events: [line("expired", row, null, "undo_over")] };
}

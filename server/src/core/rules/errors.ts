import type { Fields } from "#core/rows/meaning.ts";
import type { Ms, Operation, Phase } from "#core/rows/workspace.ts";

export const ERROR_REASONS = [
  "Timeout",
  "RetryExceeded",
  "ActionFailed",
  "DataLost",
  "Unreachable",
  "ImagePullFailed",
  "ContainerWithoutVolume",
  "ArchiveCorrupted",
  "ArchiveAccessError",
  "DiskFull",
] as const;
export type ErrorReason = (typeof ERROR_REASONS)[number];

/** No second try helps: a person has to look, or the cause has to go away by itself. */
const TERMINAL_AT_ONCE: ReadonlySet<ErrorReason> = new Set([
  "Timeout",
  "DataLost",
  "ImagePullFailed",
  "ContainerWithoutVolume",
  "ArchiveCorrupted",
]);

/** An outage heals by itself: these are retried for ever. */
const NEVER_TERMINAL: ReadonlySet<ErrorReason> = new Set(["Unreachable", "DiskFull"]);

export interface ErrorInfo extends Failure {
  readonly operation: Operation;
  readonly isTerminal: boolean;
  readonly attempts: number;
  /** How long the attempt had been running; null where nothing was tried, and in rows of versions that did not keep it. */
  readonly elapsedMs: Ms | null;
  readonly previousPhase: Phase;
  readonly occurredAt: Ms;
}

/** What an attempt says when it did not work. Thrown by drivers and adapters, judged here. */
export interface Failure {
  readonly reason: ErrorReason;
  /** What went wrong more exactly, where it is known as a code; absent in rows of versions that knew sentences only. */
  readonly fields?: Fields;
  /** What a program or another system said; the whole text where there are no fields. */
  readonly message: string;
}

export type FailureVerdict =
  | { readonly kind: "retry"; readonly reason: ErrorReason }
  | { readonly kind: "terminal"; readonly reason: ErrorReason };

/** `attempts` counts this failure too. */
export function judgeFailure(reason: ErrorReason, attempts: number, maxAttempts: number): FailureVerdict {
  if (TERMINAL_AT_ONCE.has(reason)) return { kind: "terminal", reason };
  if (NEVER_TERMINAL.has(reason)) return { kind: "retry", reason };
  return attempts >= maxAttempts ? { kind: "terminal", reason: "RetryExceeded" } : { kind: "retry", reason };
}

/** These errors describe what is seen, not what was tried: they go when the volume or the archive is back. */
export function clearsByItself(reason: ErrorReason): boolean {
  return reason === "DataLost" || reason === "ArchiveAccessError";
}

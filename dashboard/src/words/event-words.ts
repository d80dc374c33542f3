import type { DesiredState, HistoryEvent, Operation } from "@codehub/contract";
import { desiredStates, operations } from "@codehub/contract";
import { dayAndTime, duration } from "../format/format.ts";
import { errorTitle, operationWords, phaseLook, wishWords } from "./words.ts";

/** Moments inside a server's sentence, in the user's zone. */
export const localTimes = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (iso) => dayAndTime(new Date(iso).getTime()));

/**
 * Whether the two phases of an event are what the workspace was and became. For events of people they are the old and
 * the new wish.
 */
export const isPhaseChange = (event: Pick<HistoryEvent, "actor" | "to_phase" | "from_phase">): boolean =>
  event.actor.kind === "coordinator" && event.to_phase !== null && event.from_phase !== event.to_phase;

export const isFailure = (event: Pick<HistoryEvent, "kind">): boolean =>
  ["error", "attempt_failed", "restore_test_failed"].includes(event.kind);

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const operationOf = (event: HistoryEvent): Exclude<Operation, "NONE"> | null => {
  const found = operations.find((name) => name === event.operation);
  return found === undefined || found === "NONE" ? null : found;
};
const wishOf = (event: HistoryEvent): DesiredState | null =>
  desiredStates.find((name) => name === event.to_phase) ?? null;

const requests: Readonly<Record<string, string>> = {
  restart: "Asked to restart",
  verify_archive: "Asked for a restore test",
  use_archive: "Asked to use another archive",
  restore_archive: "Asked to restore an archive",
  start_empty: "Asked to start with an empty home",
  recover: "Asked to recover",
};

const failed = (event: HistoryEvent): string => {
  const title = Object.entries(errorTitle).find(([reason]) => reason === event.summary)?.[1] ?? event.summary;
  const message = text(event.details["message"]);
  return message === null ? title : `${title}: ${message}`;
};

const say: Readonly<Record<string, (event: HistoryEvent) => string | null>> = {
  created: (event) => {
    const wish = wishOf(event);
    return wish === null ? "Created" : `Created, to be ${wishWords[wish]}`;
  },
  wish: (event) => {
    const wish = wishOf(event);
    return wish === null ? null : `Asked to be ${wishWords[wish]}`;
  },
  wake: () => "Visited, so it was asked to run",
  idle: (event) => {
    const wish = wishOf(event);
    return wish === null ? null : `Idle (${event.summary}), so it was asked to be ${wishWords[wish]}`;
  },
  reset: () => "Asked to empty the home",
  delete: (event) => (event.summary === "purged" ? "Deleted for good" : "Moved to the trash"),
  undelete: () => "Taken out of the trash",
  edited: () => "Settings changed",
  request: (event) => requests[event.summary] ?? null,
  operation_started: (event) => {
    const operation = operationOf(event);
    return operation === null ? null : `${operationWords[operation].doing} began`;
  },
  operation_completed: (event) => {
    const operation = operationOf(event);
    if (operation === null) return null;
    const took = event.details["duration_ms"];
    const suffix = typeof took === "number" ? `, took ${duration(took / 1000)}` : "";
    return `${event.to_phase === null ? "Done" : phaseLook[event.to_phase].word}: ${operationWords[operation].noun.toLowerCase()} done${suffix}`;
  },
  attempt_failed: (event) => {
    const operation = operationOf(event);
    return operation === null ? failed(event) : `${operationWords[operation].noun} failed. ${failed(event)}`;
  },
  error: failed,
  phase_changed: (event) =>
    event.to_phase === null ? null : `Seen as ${phaseLook[event.to_phase].word.toLowerCase()}`,
  operation_taken_over: () => "A new leader took the operation over",
  volume_removed: () => "The volume that was no longer needed was removed",
  restore_test_passed: () => "The restore test passed",
  expired: () => "The time for taking it back is over",
};

/** One line of history in the words of the dashboard; the server's own where this page does not know the kind. */
export const eventWords = (event: HistoryEvent): string => localTimes(say[event.kind]?.(event) ?? event.summary);

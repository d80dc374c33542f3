import { eventText, type HistoryEvent } from "@codehub/contract";
import { localVoice } from "./voice.ts";

/**
 * Whether the two phases of an event are what the workspace was and became. For events of people they are the old and
 * the new request.
 */
export const isPhaseChange = (event: Pick<HistoryEvent, "actor" | "to_phase" | "from_phase">): boolean =>
  event.actor.kind === "coordinator" && event.to_phase !== null && event.from_phase !== event.to_phase;

export const isFailure = (event: Pick<HistoryEvent, "kind">): boolean =>
  ["error", "attempt_failed", "restore_test_failed"].includes(event.kind);

/** One line of history in the reader's zone; as it was written down where its kind or its code is not known. */
export const eventWords = (event: HistoryEvent): string => eventText(event, localVoice);

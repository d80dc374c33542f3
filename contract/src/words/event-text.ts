import type { HistoryEvent } from "../history.ts";
import { catalogue } from "./catalogue.ts";
import { failureText, lookUp, say } from "./say.ts";
import type { Voice } from "./voice.ts";

/** What a line of history says, without who said it and when. */
export type EventMeaning = Pick<HistoryEvent, "kind" | "from_phase" | "to_phase" | "operation" | "details" | "summary">;

/** Kinds whose summary was the code already when lines did not carry one in their details. */
const CODE_WAS_SUMMARY: readonly string[] = ["request", "error", "attempt_failed"];

const said = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Why it happened; null in lines of a version that wrote a sentence instead. */
export const eventCode = ({ kind, summary, details }: EventMeaning): string | null =>
  said(details["code"]) ?? (CODE_WAS_SUMMARY.includes(kind) ? summary : null);

/** One line of history as a sentence; as it was written down where its kind or its code is not known. */
export function eventText(event: EventMeaning, voice: Voice): string {
  const { kind, details, summary } = event;
  const code = eventCode(event);
  const fields = {
    ...details,
    from: event.from_phase,
    to: event.to_phase,
    operation: event.operation,
    code,
    failure: failureText(details, said(details["message"]) ?? "", voice),
  };
  const text = lookUp(catalogue.events, `${kind} ${code}`) ?? lookUp(catalogue.events, kind);
  return say(text, fields, voice) ?? summary;
}

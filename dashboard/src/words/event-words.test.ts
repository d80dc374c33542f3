import type { HistoryEvent } from "@codehub/contract";
import { expect, test } from "vitest";
import { dayAndTime } from "../format/format.ts";
import { eventWords, isPhaseChange } from "./event-words.ts";

const event = (over: Partial<HistoryEvent>): HistoryEvent => ({
  id: "1",
  at: "2026-11-15T10:00:00.000Z",
  kind: "wish",
  workspace_id: null,
  actor: { kind: "user", user_id: null, username: "mina" },
  summary: "as it was written down",
  from_phase: null,
  to_phase: null,
  operation: null,
  details: {},
  ...over,
});

test("a line of history is said in the reader's zone, and as it was written down where it is not known", () => {
  const since = "2026-11-15T10:00:00.000Z";
  expect(eventWords(event({ kind: "idle", to_phase: "STANDBY", details: { code: "inactive", since } }))).toBe(
    `Went to standby because idle since ${dayAndTime(Date.parse(since))}`,
  );
  expect(eventWords(event({ kind: "idle", to_phase: "STANDBY" }))).toBe("as it was written down");
  expect(eventWords(event({ kind: "something_new" }))).toBe("as it was written down");
});

test("a person's event carries requests, not phases", () => {
  expect(isPhaseChange(event({ from_phase: "STANDBY", to_phase: "RUNNING" }))).toBe(false);
  const actor = { kind: "coordinator" as const, user_id: null, username: null };
  expect(isPhaseChange(event({ actor, from_phase: "STANDBY", to_phase: "RUNNING" }))).toBe(true);
  expect(isPhaseChange(event({ actor, from_phase: "STANDBY", to_phase: "STANDBY" }))).toBe(false);
});

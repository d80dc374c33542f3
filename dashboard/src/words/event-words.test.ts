import type { HistoryEvent } from "@codehub/contract";
import { expect, test } from "vitest";
import { eventWords, isPhaseChange, localTimes } from "./event-words.ts";

const event = (over: Partial<HistoryEvent>): HistoryEvent => ({
  id: "1",
  at: "2026-11-15T10:00:00.000Z",
  kind: "wish",
  workspace_id: null,
  actor: { kind: "user", user_id: null, username: "mina" },
  summary: "as the server says",
  from_phase: null,
  to_phase: null,
  operation: null,
  details: {},
  ...over,
});

test.each([
  [{ kind: "wish", to_phase: "ARCHIVED" as const }, "Asked to be archived"],
  [{ kind: "created", to_phase: "RUNNING" as const }, "Created, to be running"],
  [{ kind: "operation_started", operation: "RESTORING" as const }, "Restoring the home began"],
  [
    {
      kind: "operation_completed",
      operation: "STARTING" as const,
      to_phase: "RUNNING" as const,
      details: { duration_ms: 2840 },
    },
    "Running: start done, took 2.8 s",
  ],
  [
    { kind: "error", summary: "DataLost", details: { message: "ws-1 is gone" } },
    "The volume with the home is gone: ws-1 is gone",
  ],
  [{ kind: "something_new" }, "as the server says"],
])("%o reads %s", (over, words) => expect(eventWords(event(over))).toBe(words));

test("a person's event carries wishes, not phases", () => {
  expect(isPhaseChange(event({ from_phase: "STANDBY", to_phase: "RUNNING" }))).toBe(false);
  const actor = { kind: "coordinator" as const, user_id: null, username: null };
  expect(isPhaseChange(event({ actor, from_phase: "STANDBY", to_phase: "RUNNING" }))).toBe(true);
  expect(isPhaseChange(event({ actor, from_phase: "STANDBY", to_phase: "STANDBY" }))).toBe(false);
});

test("moments inside a sentence are local", () => {
  expect(localTimes("no activity since 2026-11-15T10:00:00.000Z.")).not.toContain("T10:00");
  expect(localTimes("nothing to see")).toBe("nothing to see");
});

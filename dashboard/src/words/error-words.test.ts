import type { WorkspaceError } from "@codehub/contract";
import { expect, test } from "vitest";
import { triedWords } from "./error-words.ts";

const error: WorkspaceError = {
  reason: "RetryExceeded",
  message: "The container disappeared while it was starting.",
  fields: { failure: "container_vanished" },
  detail: "",
  operation: "STARTING",
  is_terminal: true,
  attempts: 3,
  elapsed_seconds: 12.3,
  previous_phase: "STANDBY",
  occurred_at: "2026-11-16T10:00:00.000Z",
  what_to_do: "Look at the log.",
};

test("an error tells how often it was tried and how long the last try took", () => {
  expect(triedWords(error)).toBe("RetryExceeded after 3 attempts of STARTING, the last one took 12 s");
  expect(triedWords({ ...error, reason: "Timeout", attempts: 1, elapsed_seconds: 300 })).toBe(
    "Timeout after one attempt of STARTING, which took 5.0 min",
  );
});

test("what was seen and not tried, or not measured, is not made up", () => {
  expect(triedWords({ ...error, elapsed_seconds: null })).toBe("RetryExceeded after 3 attempts of STARTING");
  expect(triedWords({ ...error, reason: "DataLost", operation: "NONE", attempts: 0, elapsed_seconds: null })).toBe(
    "DataLost",
  );
});

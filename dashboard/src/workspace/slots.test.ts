import { expect, test } from "vitest";
import { held } from "./slots.ts";

const one = (
  phase: "RUNNING" | "STANDBY" | "ERROR",
  desired_state: "RUNNING" | "STANDBY",
  operation = "NONE" as const,
) => ({
  ...{ phase, desired_state, operation },
});

test.each([
  ["what runs", one("RUNNING", "RUNNING"), 1],
  ["what is asked to run, also where it failed", one("ERROR", "RUNNING"), 1],
  ["what has not stopped yet", one("RUNNING", "STANDBY"), 1],
  ["what is being stopped", { ...one("STANDBY", "STANDBY"), operation: "STOPPING" as const }, 1],
  ["nothing that rests", one("STANDBY", "STANDBY"), 0],
])("a place is held by %s", (_name, workspace, count) => {
  expect(held([workspace, one("STANDBY", "STANDBY")])).toBe(count);
});

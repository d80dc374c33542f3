import { expect, test } from "vitest";
import { notAtRest, stateOf } from "./rest.ts";

type Row = Parameters<typeof notAtRest>[0][number];
const row = (over: Partial<Row> = {}): Row => ({
  ...{ id: "a", version: 1, phase: "STANDBY", operation: "NONE", desired_state: "STANDBY", deleted_at: null },
  ...over,
});

test.each<[string, Partial<Row>, boolean]>([
  ["on standby", {}, true],
  ["archived", { phase: "ARCHIVED", desired_state: "ARCHIVED" }, true],
  ["runs", { phase: "RUNNING" }, false],
  ["is stopped just now", { operation: "STOPPING" }, false],
  ["is to run", { desired_state: "RUNNING" }, false],
  ["was to run when it was deleted", { desired_state: "RUNNING", deleted_at: "2026-01-01T00:00:00Z" }, true],
  // Whether anything of it still runs cannot be seen in a list.
  ["broken", { phase: "ERROR" }, true],
])("%s: %j seems at rest: %j", (_name, over, rests) => {
  expect(notAtRest([row(over)])).toHaveLength(rests ? 0 : 1);
});

test("the state is another one when a row is changed, comes or goes, whatever their order", () => {
  const [a, b] = [row(), row({ id: "b" })];
  expect(stateOf([b, a])).toBe(stateOf([a, b]));
  for (const other of [[a], [a, row({ id: "b", version: 2 })], [a, row({ id: "c" })]])
    expect(stateOf(other)).not.toBe(stateOf([a, b]));
});

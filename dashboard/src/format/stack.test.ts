import type { PhaseCounts } from "@codehub/contract";
import { expect, test } from "vitest";
import { niceTop, stackOf } from "./stack.ts";

const counts = (over: Partial<PhaseCounts>): PhaseCounts => ({
  PENDING: 0,
  ARCHIVED: 0,
  STANDBY: 0,
  RUNNING: 0,
  ERROR: 0,
  DELETING: 0,
  DELETED: 0,
  ...over,
});

test.each([
  [0, 4],
  [4, 4],
  [7, 10],
  [21, 25],
  [100, 100],
  [1001, 2000],
])("above %d the axis ends at %d", (largest, top) => expect(niceTop(largest)).toBe(top));

test("without samples there is no picture", () => {
  expect(stackOf([], 1000, 100, 50)).toBeNull();
});

test("bands lie on top of each other, as steps, until now", () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const history = [
    { at: at(0), counts: counts({ RUNNING: 1, STANDBY: 1 }) },
    { at: at(500), counts: counts({ RUNNING: 2, STANDBY: 2 }) },
  ];
  const stack = stackOf(history, 1000, 100, 40);
  expect(stack?.top).toBe(4);
  expect(stack?.bands[0]).toEqual({
    phase: "RUNNING",
    path: "M0,30 L50,30 L50,20 L100,20 L100,40 L50,40 L50,40 L0,40 Z",
  });
  expect(stack?.bands[1]?.path).toBe("M0,20 L50,20 L50,0 L100,0 L100,20 L50,20 L50,30 L0,30 Z");
});

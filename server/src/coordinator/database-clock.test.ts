import { expect, test } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

test("carries the database's time on, whatever the wall clock does", () => {
  let wall = 1_000_000;
  let monotonic = 5;
  const clock = new DatabaseClock({
    nowMs: () => wall,
    monotonicMs: () => monotonic,
    giveWay: async () => {},
    sleep: () => Promise.resolve(),
  });
  expect(clock.isKnown).toBe(false);
  expect(clock.now()).toBe(1_000_000);
  clock.saw(2_000_000);
  expect(clock.isKnown).toBe(true);
  wall = 0;
  monotonic = 30;
  expect(clock.now()).toBe(2_000_025);
});

import { expect, test } from "vitest";
import { lastWeeks } from "./weeks.ts";

const at = (time: string): number => Date.parse(time);

test.each<[string, string]>([
  ["2026-11-18T20:00:00Z", "2026-11-16"],
  ["2026-11-16T00:00:00Z", "2026-11-16"],
  ["2026-11-15T23:59:59.999Z", "2026-11-09"],
  ["2026-01-01T12:00:00Z", "2025-12-29"],
])("at %s the week began on %s", (now, began) => {
  expect(lastWeeks(at(now), 1)).toEqual([at(`${began}T00:00:00Z`)]);
});

test("weeks follow each other, this one is the last", () => {
  expect(lastWeeks(at("2026-11-18T20:00:00Z"), 3).map((week) => new Date(week).toISOString().slice(0, 10))).toEqual([
    ...["2026-11-02", "2026-11-09", "2026-11-16"],
  ]);
});

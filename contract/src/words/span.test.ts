import { describe, expect, test } from "vitest";
import { duration, formOf, span } from "./span.ts";

describe("span", () => {
  test.each([
    [0, "1 s"],
    [59_000, "59 s"],
    [59_600, "1 min"],
    [59.7 * 60_000, "1 h"],
    [60_000, "1 min"],
    [8 * 60_000, "8 min"],
    [3 * 3_600_000, "3 h"],
    [47 * 3_600_000, "47 h"],
    [2 * 86_400_000, "2 days"],
    [7 * 86_400_000, "7 days"],
    [61 * 86_400_000, "2 months"],
  ])("%d ms reads %s", (ms, text) => expect(span(ms)).toBe(text));
});

test("durations keep the digit that matters", () => {
  expect(duration(0.84)).toBe("0.8 s");
  expect(duration(42.4)).toBe("42 s");
  expect(duration(204)).toBe("3.4 min");
});

test("one is one, and none are many", () => {
  const forms = { one: "container", other: "containers" };
  expect([0, 1, 2, 21].map((count) => formOf(count, forms))).toEqual([
    forms.other,
    forms.one,
    forms.other,
    forms.other,
  ]);
});

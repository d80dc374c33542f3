import { describe, expect, test } from "vitest";
import { cores, lineOf } from "./usage.ts";

const frame = { from: 0, to: 100, stepMs: 10, width: 1000, height: 50 };
const point = (at: number, value: number | null) => ({ at, value });

describe("a line of what was used", () => {
  test("is drawn to scale, below a round number, to the end of its last step", () => {
    expect(lineOf([point(0, 5), point(10, 10)], frame)).toEqual({
      strokes: ["M0 25L100 0L200 0"],
      areas: ["M0 50L0 25L100 0L200 0L200 50Z"],
      ...{ top: 10, peak: 10 },
    });
  });

  test.each([
    [0.3, 0.5],
    [1, 1],
    [7, 10],
    [2.4e9, 2.5e9],
  ])("reaches with %s up to %s", (value, top) => expect(lineOf([point(0, value)], frame)?.top).toBe(top));

  test("has a gap where nothing was known, and not where a look came late", () => {
    expect(lineOf([point(0, 1), point(12, 1), point(50, 1)], frame)?.strokes).toHaveLength(2);
    expect(lineOf([point(0, 1), point(10, null), point(20, 1)], frame)?.strokes).toHaveLength(2);
  });

  test("stays inside of the picture", () => {
    const [stroke = ""] = lineOf([point(-5, 3), point(95, 3)], { ...frame, stepMs: 100 })?.strokes ?? [];
    expect(stroke).toMatch(/^M0 /);
    expect(stroke).toMatch(/L1000 \S+$/);
  });

  test("is there where nothing was used, and not where nothing is known", () => {
    expect(lineOf([point(0, 0)], frame)).toMatchObject({ peak: 0, strokes: ["M0 50L100 50"] });
    expect(lineOf([], frame)).toBeNull();
    expect(lineOf([point(0, null)], frame)).toBeNull();
  });
});

test.each([
  [0, "0 % of a core"],
  [0.123, "12 % of a core"],
  [0.999, "1 core"],
  [1.04, "1 core"],
  [2.25, "2.3 cores"],
])("%s is said as %s", (value, words) => expect(cores(value)).toBe(words));

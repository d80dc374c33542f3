import fc from "fast-check";
import { expect, test } from "vitest";
import { isoTime } from "./iso-time.ts";

test("a moment is written as the platform writes it, in every year it knows", () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(isoTime(date.getTime())).toBe(date.toISOString());
    }),
    {
      examples: [0, -1, 8.64e15, -8.64e15, Date.UTC(2026, 1, 28, 23, 59, 59, 999), 1.75e12 + 0.9].map((at) => [
        new Date(at),
      ]),
    },
  );
  expect(isoTime(1.5)).toBe("1970-01-01T00:00:00.001Z");
});

test("what is no moment is refused as the platform refuses it", () => {
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 86_400_000])
    expect(() => isoTime(at), String(at)).toThrow(RangeError);
});

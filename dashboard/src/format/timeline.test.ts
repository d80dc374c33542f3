import type { Phase } from "@codehub/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { segmentsOf, sharesOf, ticksOf, within } from "./timeline.ts";

const change = (at: number, from: Phase | null, to: Phase | null) => ({
  at: new Date(at).toISOString(),
  from_phase: from,
  to_phase: to,
});

test("segments follow the changes, in whatever order they come", () => {
  const events = [
    change(300, "RUNNING", "STANDBY"),
    change(100, "PENDING", "STANDBY"),
    change(200, "STANDBY", "RUNNING"),
  ];
  expect(segmentsOf(events, "STANDBY", 0, 400)).toEqual([
    { phase: "PENDING", from: 0, to: 100 },
    { phase: "STANDBY", from: 100, to: 200 },
    { phase: "RUNNING", from: 200, to: 300 },
    { phase: "STANDBY", from: 300, to: 400 },
  ]);
});

test("without any change the present phase has always held", () => {
  expect(segmentsOf([change(50, null, null)], "ARCHIVED", 0, 100)).toEqual([{ phase: "ARCHIVED", from: 0, to: 100 }]);
});

test("a cut-off history starts in the phase its first event came from", () => {
  expect(segmentsOf([change(80, "RUNNING", "ERROR")], "ERROR", 20, 100)[0]).toEqual({
    phase: "RUNNING",
    from: 20,
    to: 80,
  });
});

const phase = fc.constantFrom<Phase>("PENDING", "ARCHIVED", "STANDBY", "RUNNING", "ERROR");
test("segments cover the whole time without gap or overlap", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ at: fc.integer({ min: 0, max: 1000 }), from: phase, to: phase }), { maxLength: 30 }),
      phase,
      (changes, current) => {
        const segments = segmentsOf(
          changes.map(({ at, from, to }) => change(at, from, to)),
          current,
          0,
          1001,
        );
        expect(segments[0]?.from).toBe(0);
        expect(segments.at(-1)?.to).toBe(1001);
        for (const [index, segment] of segments.entries()) {
          expect(segment.to).toBeGreaterThan(segment.from);
          if (index > 0) expect(segment.from).toBe(segments[index - 1]?.to);
        }
        expect(sharesOf(segments).reduce((sum, share) => sum + share.ms, 0)).toBe(1001);
      },
    ),
  );
});

test("a window cuts what crosses its edges and drops what is outside", () => {
  const segments = segmentsOf([change(100, "STANDBY", "RUNNING")], "RUNNING", 0, 200);
  expect(within(segments, 150, 200)).toEqual([{ phase: "RUNNING", from: 150, to: 200 }]);
  expect(within(segments, 50, 150)).toEqual([
    { phase: "STANDBY", from: 50, to: 100 },
    { phase: "RUNNING", from: 100, to: 150 },
  ]);
});

test("ticks are round in the user's zone and never too many", () => {
  const hour = 3_600_000;
  const offset = 9 * hour + hour / 2;
  const ticks = ticksOf(0, 24 * hour, 6, offset);
  expect(ticks.length).toBeGreaterThan(2);
  expect(ticks.length).toBeLessThanOrEqual(7);
  for (const at of ticks) expect((at + offset) % (6 * hour)).toBe(0);
});

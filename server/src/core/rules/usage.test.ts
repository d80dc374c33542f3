import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seen, unseen } from "#core/rows/observation.ts";
import { coresBetween, sampleOf, type UsageLook, type UsageSeen } from "./usage.ts";

const MINUTE = 60_000;
const GIB = 1024 ** 3;
const shared = { usedBytes: 30 * GIB, totalBytes: 100 * GIB, shared: true };
const own = { usedBytes: 3 * GIB, totalBytes: 10 * GIB, shared: false };
const whole: UsageSeen = { disk: seen(shared), cpu: seen({ totalMs: 90_000 }), memoryBytes: seen(5 * GIB) };
const before = { containerId: "c", at: 0, totalMs: 0 };
const look = (over: Partial<UsageLook> = {}): UsageLook => ({
  ...{ workspaceId: "w", containerId: "c", at: MINUTE, seen: whole, home: seen(7), before },
  ...over,
});

describe("the cores that were busy", () => {
  test.each([
    ["half of one", 30_000, 0.5],
    ["none", 0, 0],
    ["four", 240_000, 4],
    ["unknown where the sum fell", -1, null],
  ])("are %s", (_name, busyMs, cores) => {
    const from = { ...before, totalMs: 1_000 };
    expect(coresBetween(from, { containerId: "c", at: MINUTE, totalMs: 1_000 + busyMs })).toBe(cores);
  });

  test.each([
    ["at the first look", null],
    ["after a new start", { ...before, containerId: "b" }],
    ["twice in a moment", { ...before, at: MINUTE }],
  ])("are unknown %s", (_name, former) => {
    expect(coresBetween(former, { containerId: "c", at: MINUTE, totalMs: 5 })).toBeNull();
  });

  test("add up to the time that was used, however often it is looked at", () => {
    const steps = fc.array(
      fc.record({ ms: fc.integer({ min: 1, max: 1e6 }), busy: fc.integer({ min: 0, max: 1e6 }) }),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(steps, (all) => {
        let last = before;
        let sum = 0;
        for (const { ms, busy } of all) {
          const now = { containerId: "c", at: last.at + ms, totalMs: last.totalMs + busy };
          sum += (coresBetween(last, now) ?? Number.NaN) * ms;
          last = now;
        }
        expect(sum).toBeCloseTo(last.totalMs, 3);
      }),
    );
  });
});

describe("a sample", () => {
  test("has every figure", () => {
    expect(sampleOf(look())).toEqual({
      sample: {
        ...{ workspaceId: "w", cpuCores: 1.5, memoryBytes: 5 * GIB, homeBytes: 7, disk: shared },
        missing: {},
      },
      reading: { containerId: "c", at: MINUTE, totalMs: 90_000 },
    });
  });

  test.each<[string, Partial<UsageLook>, object]>([
    ["at the first look", { before: null }, { cpu: "soon" }],
    ["before the home was counted", { home: unseen("soon") }, { home: "soon" }],
    ["of a home that is too large to count", { home: unseen("too_many_files") }, { home: "too_many_files" }],
    [
      "on a cluster without figures",
      { seen: { ...whole, cpu: unseen("no_metrics_server"), memoryBytes: unseen("no_metrics_server") } },
      { cpu: "no_metrics_server", memory: "no_metrics_server" },
    ],
    ["of one that said nothing", { seen: null }, { cpu: "unanswered", memory: "unanswered", disk: "unanswered" }],
    ["that nobody has a word for", { seen: { ...whole, memoryBytes: unseen("EIO") } }, { memory: "unanswered" }],
  ])("says why a figure is missing: %s", (_name, over, missing) => {
    const { sample } = sampleOf(look(over));
    expect(sample.missing).toEqual(missing);
    // Missing is null and never a number, and what is there is not missing.
    const figures = { cpu: sample.cpuCores, memory: sample.memoryBytes, home: sample.homeBytes, disk: sample.disk };
    for (const [figure, value] of Object.entries(figures)) expect(value === null).toBe(figure in missing);
  });

  test("takes the size of a home from its own disk, and not from a shared one", () => {
    expect(sampleOf(look({ seen: { ...whole, disk: seen(own) }, home: unseen("soon") })).sample).toMatchObject({
      homeBytes: 3 * GIB,
      missing: {},
    });
    expect(sampleOf(look({ home: unseen("soon") })).sample.homeBytes).toBeNull();
  });

  test("takes the sum of somebody else, who needs no second look", () => {
    const { sample, reading } = sampleOf(look({ seen: { ...whole, cpu: seen({ cores: 0.25 }) }, before: null }));
    expect([sample.cpuCores, reading]).toEqual([0.25, null]);
  });
});

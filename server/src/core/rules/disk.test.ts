import { describe, expect, it } from "vitest";
import type { Facts } from "#core/rows/mutation.ts";
import { EMPTY_HOME_CONTEXT, type HomeDisk } from "#core/rows/workspace.ts";
import { workspace } from "../../../test/fixtures/workspace.ts";
import { type DiskUse, diskSeen, nearlyFull } from "./disk.ts";

const GIB = 1024 ** 3;
const own = (percent: number, totalBytes = 100 * GIB): DiskUse => ({
  usedBytes: (totalBytes * percent) / 100,
  totalBytes,
  shared: false,
});
const shared = (percent: number, totalBytes: number): DiskUse => ({ ...own(percent, totalBytes), shared: true });
const facts = (disk: HomeDisk | null): Facts => ({
  row: workspace({ homeVolume: "v", homeCtx: { ...EMPTY_HOME_CONTEXT, sizeBytes: 7, disk } }),
  archives: [],
  volumes: [],
  now: 9,
});
const stored = (use: DiskUse, volume = "v"): HomeDisk => ({ ...use, volume, at: 1 });

describe("how full the disk of a home is", () => {
  it.each([
    ["room", null, own(89), "nothing"],
    ["first past nine tenths", null, own(90), "written"],
    ["a little more", stored(own(90)), own(94), "nothing"],
    ["past the next bound", stored(own(90)), own(95), "written"],
    ["past the last one", stored(own(95)), own(99), "written"],
    ["full", stored(own(98)), own(100), "nothing"],
    ["a little less", stored(own(90)), own(88.5), "nothing"],
    ["less by a bound", stored(own(98)), own(95.9), "written"],
    ["room again", stored(own(90)), own(87), "cleared"],
    ["grown and still full", stored(own(95)), own(95, 200 * GIB), "written"],
    ["grown, with room", stored(own(95)), own(50, 200 * GIB), "cleared"],
    ["a large disk of all", null, shared(92, 1_000 * GIB), "nothing"],
    ["a small disk of all", null, shared(92, 100 * GIB), "written"],
    ["one that says nothing of itself", null, own(0, 0), "nothing"],
    ["what is remembered of another disk", stored(own(99), "old"), own(10), "cleared"],
    ["another disk, also full", stored(own(90), "old"), own(90), "written"],
  ] as const)("%s", (_, before, use, expected) => {
    const mutation = diskSeen(facts(before), "v", use);
    const disk = mutation?.patch.homeCtx?.disk;
    expect(mutation === null ? "nothing" : disk === null ? "cleared" : "written").toBe(expected);
    if (disk != null) expect(disk).toEqual({ ...use, volume: "v", at: 9 });
    if (mutation !== null) expect(mutation.patch.homeCtx?.sizeBytes).toBe(7);
  });

  it("is nobody's business when the home is on another volume by now", () => {
    expect(diskSeen(facts(null), "before", own(100))).toBeNull();
    expect(nearlyFull(facts(stored(own(99), "before")).row)).toBeNull();
    expect(nearlyFull(facts(stored(own(99))).row)).toMatchObject({ volume: "v" });
  });
});

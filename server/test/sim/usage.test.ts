import { expect, test } from "vitest";
import { seen, unseen } from "#core/rows/observation.ts";
import type { Usage } from "#ports/runtime.ts";
import { Stage } from "./stage.ts";

const GIB = 1024 ** 3;
const disk = (percent: number, totalBytes = 10 * GIB): Usage => ({
  disk: seen({ usedBytes: (totalBytes * percent) / 100, totalBytes, shared: false }),
});

const ALWAYS_ON = { TTL_STANDBY_SECONDS: "0" };

/** Workspaces on disks that are as full as the test says. */
class Disks {
  now: Usage | Error = disk(10);
  readonly stage = new Stage({
    env: ALWAYS_ON,
    deps: (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        usage: async () => {
          if (this.now instanceof Error) throw this.now;
          return this.now;
        },
      },
    }),
  });

  /** Until it was measured twice, and how often what is known of the disk was written meanwhile. */
  async writes(now: Usage | Error): Promise<number> {
    const { commits } = this.stage;
    this.now = now;
    const before = commits.length;
    await this.stage.pass(260);
    return commits.slice(before).filter(({ before: old, after }) => old?.homeCtx.disk !== after.homeCtx.disk).length;
  }
}

test("a disk that fills is written down at its bounds, and not for every change between", async () => {
  const disks = new Disks();
  const { stage } = disks;
  const id = await stage.create("RUNNING");
  await stage.reaches(id, "RUNNING");
  expect(await disks.writes(disk(10))).toBe(0);
  expect(await disks.writes(disk(91))).toBe(1);
  const { homeVolume, homeCtx } = stage.row(id);
  expect(homeCtx.disk).toMatchObject({ volume: homeVolume, usedBytes: 9.1 * GIB, totalBytes: 10 * GIB, shared: false });
  expect(await disks.writes(disk(94))).toBe(0);
  expect(await disks.writes(disk(96))).toBe(1);
  // What cannot be measured is no news, and keeps nobody else from being measured.
  expect(await disks.writes({ disk: unseen("the relay does not answer") })).toBe(0);
  expect(await disks.writes(new Error("not a word"))).toBe(0);
  expect(stage.row(id).homeCtx.disk?.usedBytes).toBe(9.6 * GIB);
  expect(await disks.writes(disk(48, 20 * GIB))).toBe(1);
  expect(stage.row(id)).toMatchObject({ phase: "RUNNING", homeCtx: { disk: null } });
});

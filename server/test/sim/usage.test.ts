import { expect, test } from "vitest";
import { seen, unseen } from "#core/rows/observation.ts";
import type { UsageSeen } from "#core/rules/usage.ts";
import type { Runtime } from "#ports/runtime.ts";
import { Stage } from "./stage.ts";

const GIB = 1024 ** 3;
const MINUTE = 60_000;
const busy = { cpu: seen({ cores: 0.5 }), memoryBytes: seen(GIB) };
const disk = (percent: number, totalBytes = 10 * GIB): UsageSeen => ({
  ...busy,
  disk: seen({ usedBytes: (totalBytes * percent) / 100, totalBytes, shared: false }),
});

const ALWAYS_ON = { TTL_STANDBY_SECONDS: "0" };

/** Workspaces that use what the test says. */
class Used {
  now: UsageSeen | Error | "hangs" = disk(10);
  readonly looks: number[] = [];
  readonly counts: string[] = [];
  homeBytes: Runtime["homeBytes"] = null;
  readonly stage: Stage;

  constructor(homeBytes: Runtime["homeBytes"] = null) {
    this.stage = new Stage({
      env: ALWAYS_ON,
      deps: (deps) => ({ ...deps, runtime: { ...deps.runtime, homeBytes, usage: (all) => this.#look(all) } }),
    });
  }

  async #look(all: Parameters<NonNullable<Runtime["usage"]>>[0]): Promise<ReadonlyMap<string, UsageSeen>> {
    const { now } = this;
    this.looks.push(all.length);
    if (now === "hangs") return await new Promise(() => {});
    if (now instanceof Error) throw now;
    return new Map(all.map(({ id }) => [id, now]));
  }

  get saved() {
    return this.stage.cluster.db.usage;
  }

  /** Until it was measured several times, and how often what is known of the disk was written meanwhile. */
  async writes(now: UsageSeen | Error): Promise<number> {
    const { commits } = this.stage;
    this.now = now;
    const before = commits.length;
    await this.stage.pass(130);
    return commits.slice(before).filter(({ before: old, after }) => old?.homeCtx.disk !== after.homeCtx.disk).length;
  }
}

test("a disk that fills is written down at its bounds, and not for every change between", async () => {
  const disks = new Used();
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
  expect(await disks.writes({ ...busy, disk: unseen("unanswered") })).toBe(0);
  expect(await disks.writes(new Error("not a word"))).toBe(0);
  expect(stage.row(id).homeCtx.disk?.usedBytes).toBe(9.6 * GIB);
  expect(await disks.writes(disk(48, 20 * GIB))).toBe(1);
  expect(stage.row(id)).toMatchObject({ phase: "RUNNING", homeCtx: { disk: null } });
});

test("all that run are looked at in one go and written in one statement a minute, and no row says so", async () => {
  const used = new Used();
  const { stage } = used;
  const ids = [await stage.create("RUNNING"), await stage.create("RUNNING")];
  for (const id of ids) await stage.reaches(id, "RUNNING");
  const resting = await stage.create("STANDBY");
  await stage.reaches(resting, "STANDBY");
  await stage.pass(120);
  const homes = ids.map((id) => stage.row(id).homeCtx);
  used.looks.length = 0;
  const [saves] = await stage.countFor(600, "database.saveUsage");
  expect(saves).toBe(10);
  expect(used.looks).toEqual(Array.from({ length: 10 }, () => 2));
  const last = used.saved.slice(-10);
  for (const { samples } of last) expect(samples.map((sample) => sample.workspaceId).sort()).toEqual([...ids].sort());
  for (const [index, { at }] of last.entries())
    if (index > 0) expect(at - (last[index - 1]?.at ?? 0)).toBeLessThan(MINUTE + 1_000);
  expect(ids.map((id) => stage.row(id).homeCtx)).toEqual(homes);
});

test("a look that fails skips its minute and one that hangs holds up nothing but itself", async () => {
  const used = new Used();
  const { stage } = used;
  const id = await stage.create("RUNNING");
  await stage.reaches(id, "RUNNING");
  used.now = new Error("not a word");
  expect(await stage.countFor(300, "database.saveUsage")).toEqual([0]);
  used.now = disk(10);
  expect((await stage.countFor(300, "database.saveUsage"))[0]).toBe(5);
  used.now = "hangs";
  await stage.pass(120);
  const other = await stage.create("RUNNING");
  await stage.reaches(other, "RUNNING");
  expect((await stage.countFor(300, "database.thinUsage"))[0]).toBe(5);
});

test("homes are counted one after the other, seldom, and beside the minute", async () => {
  const counted: string[] = [];
  const used = new Used(async ({ workspaceId }) => {
    counted.push(workspaceId);
    return seen(counted.length * 1_000);
  });
  used.now = { ...busy, disk: seen({ usedBytes: 5, totalBytes: 100 * GIB, shared: true }) };
  const { stage } = used;
  const ids = [await stage.create("RUNNING"), await stage.create("RUNNING")];
  for (const id of ids) await stage.reaches(id, "RUNNING");
  await stage.pass(180);
  expect([...counted].sort()).toEqual([...ids].sort());
  expect(
    used.saved
      .at(-1)
      ?.samples.map(({ homeBytes }) => homeBytes)
      .sort(),
  ).toEqual([1_000, 2_000]);
  await stage.pass(3_600);
  expect(counted.length).toBeGreaterThan(10);
  expect(counted.length).toBeLessThanOrEqual(14);
});

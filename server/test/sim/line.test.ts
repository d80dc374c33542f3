import { describe, expect, it } from "vitest";
import type { CoordinatorDeps } from "#coordinator/deps.ts";
import { OperationFailure } from "#ports/failure.ts";
import { Stage } from "./stage.ts";

const MANY = 100;

const withSettings = (settings: Partial<CoordinatorDeps["settings"]>) => (deps: CoordinatorDeps) => ({
  ...deps,
  settings: { ...deps.settings, ...settings },
});

/** Many homes at rest, all of which are to be archived from now on, and the one that somebody is about to open. */
async function manyToArchive(stage: Stage, level: "STANDBY" | "ARCHIVED"): Promise<{ all: string[]; mine: string }> {
  const all: string[] = [];
  for (let index = 0; index < MANY; index++) all.push(await stage.create("STANDBY"));
  const mine = await stage.create(level);
  for (const id of all) await stage.reaches(id, "STANDBY");
  await stage.reaches(mine, level);
  await Promise.all(all.map((id) => stage.does(stage.users.wish(id, "ARCHIVED"))));
  await stage.until(() => all.some((id) => stage.row(id).operation === "ARCHIVING"));
  return { all, mine };
}

describe("a person's start goes before a hundred archivings, also while none of them ends", () => {
  for (const level of ["STANDBY", "ARCHIVED"] as const) {
    it(`from ${level}`, async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const stage = new Stage({
        deps: (deps) => ({
          ...deps,
          jobs: {
            ...deps.jobs,
            archive: async (...args) => {
              await released;
              return await deps.jobs.archive(...args);
            },
          },
        }),
      });
      const { all, mine } = await manyToArchive(stage, level);
      await stage.pass(200);
      const askedAt = stage.sim.scheduler.now;
      await stage.does(stage.users.wish(mine, "RUNNING"));
      await stage.until(() => stage.row(mine).operation !== "NONE");
      expect(stage.sim.scheduler.now - askedAt).toBeLessThan(5_000);
      await stage.reaches(mine, "RUNNING");
      expect(all.filter((id) => stage.row(id).phase === "ARCHIVED")).toEqual([]);
      release();
      for (const id of all) await stage.reaches(id, "ARCHIVED");
    });
  }
});

describe("room", () => {
  it("is never given to more at once than there is, however many ask in the same moment", async () => {
    const stage = new Stage();
    const ids = await stage.does(Promise.all(Array.from({ length: 30 }, () => stage.users.create("STANDBY"))));
    let most = 0;
    await stage.until(() => {
      const rows = ids.map((id) => stage.row(id));
      most = Math.max(most, rows.filter(({ operation }) => operation === "PROVISIONING").length);
      return rows.every(({ phase, operation }) => phase === "STANDBY" && operation === "NONE");
    });
    // Of four places for what starts, housekeeping has three: nobody waits for these homes.
    expect(most).toBe(3);
  });

  it("is not kept by a start that hangs: who comes later goes on long before it is given up", async () => {
    let hangs = "";
    const stage = new Stage({
      deps: (deps) => ({
        ...withSettings({ maxStarts: 1 })(deps),
        runtime: {
          ...deps.runtime,
          ensureImage: async (...args) => (hangs === "" ? await deps.runtime.ensureImage(...args) : await never()),
        },
      }),
    });
    const [slow, quick] = [await stage.create("STANDBY"), await stage.create("STANDBY")];
    for (const id of [slow, quick]) await stage.reaches(id, "STANDBY");
    hangs = slow;
    await stage.does(stage.users.wish(slow, "RUNNING"));
    await stage.until(() => stage.row(slow).operation === "STARTING");
    await stage.pass(1);
    hangs = "";
    const askedAt = stage.sim.scheduler.now;
    await stage.does(stage.users.wish(quick, "RUNNING"));
    await stage.reaches(quick, "RUNNING");
    expect(stage.row(slow).operation).toBe("STARTING");
    expect(stage.sim.scheduler.now - askedAt).toBeLessThan(15_000);
  });

  it("is waited for without looking: a row in the line is looked at as rarely as one at rest", async () => {
    const stage = new Stage({ deps: withSettings({ maxOperations: 0 }) });
    await stage.create("STANDBY");
    await stage.pass(60);
    const [reads] = await stage.countFor(300, "database.read");
    expect(reads).toBeLessThanOrEqual(11);
  });

  it("for homes that move is less while the store does not answer, and comes back with it", async () => {
    let away = true;
    let [underWay, most] = [0, 0];
    const stage = new Stage({
      deps: (deps) => ({
        ...deps,
        jobs: {
          ...deps.jobs,
          archive: async (...args) => {
            underWay += 1;
            most = Math.max(most, underWay);
            try {
              if (away) {
                await deps.clock.sleep(5_000);
                throw new OperationFailure("Unreachable", "the store is away");
              }
              return await deps.jobs.archive(...args);
            } finally {
              underWay -= 1;
            }
          },
        },
      }),
    });
    const ids: string[] = [];
    for (let index = 0; index < 20; index++) ids.push(await stage.create("STANDBY"));
    for (const id of ids) await stage.reaches(id, "STANDBY");
    await Promise.all(ids.map((id) => stage.does(stage.users.wish(id, "ARCHIVED"))));
    await stage.pass(120);
    expect(most).toBe(3);
    most = 0;
    await stage.pass(120);
    expect(most).toBe(1);
    away = false;
    for (const id of ids) await stage.reaches(id, "ARCHIVED");
    expect(most).toBeGreaterThan(1);
  });
});

const never = (): Promise<never> => new Promise(() => {});

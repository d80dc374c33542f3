import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

/** An engine in the place of ours: of what it shows nothing is believed. */
class Foreign {
  isOurs = true;
  readonly stage = new Stage({
    env: { TTL_STANDBY_SECONDS: "0" },
    deps: (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        engineId: async () => (this.isOurs ? await deps.runtime.engineId() : "another one"),
      },
    }),
  });
}

test("while nothing can be seen each workspace is looked at once, and not with every sweep", async () => {
  const engine = new Foreign();
  const { stage } = engine;
  const ids = [await stage.create("RUNNING"), await stage.create("STANDBY")];
  await stage.reaches(ids[0] ?? "", "RUNNING");
  await stage.reaches(ids[1] ?? "", "STANDBY");
  const isUnknown = (id: string) => stage.row(id).conditions["storage.volume_ready"]?.unknownSince !== undefined;
  engine.isOurs = false;
  await stage.pass(600);
  for (const id of ids) expect(isUnknown(id)).toBe(true);
  const [sweeps, looks] = await stage.countFor(240, "database.listWithResources", "database.read");
  expect(sweeps).toBeGreaterThan(5);
  expect(looks).toBeLessThanOrEqual(ids.length);
  engine.isOurs = true;
  const [inspected] = await stage.countFor(120, "runtime.inspect");
  for (const id of ids) expect(isUnknown(id)).toBe(false);
  // The list has said it of all of them.
  expect(inspected).toBe(0);
});

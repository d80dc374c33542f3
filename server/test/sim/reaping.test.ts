import { expect, it } from "vitest";
import { OperationFailure } from "#ports/failure.ts";
import { Stage } from "./stage.ts";
import { strangerTo, type World } from "./world.ts";

const HOURS = 48;

it("a removal that another engine answered is not put on record, and is done when ours is back", async () => {
  const answered: { by: World | null } = { by: null };
  const stage: Stage = new Stage({
    deps: (deps) => ({
      ...deps,
      volumes: {
        ...deps.volumes,
        remove: async (name) => {
          const { world } = stage.cluster;
          if (answered.by === null) answered.by = world.otherEngine = strangerTo(world);
          await deps.volumes.remove(name);
        },
      },
    }),
  });
  const { db, world } = stage.cluster;
  const id = await stage.create("STANDBY");
  await stage.reaches(id, "STANDBY");
  const name = stage.row(id).homeVolume ?? "";
  await stage.does(stage.users.wish(id, "ARCHIVED"));
  await stage.reaches(id, "ARCHIVED");
  await stage.until(() => answered.by !== null, HOURS);
  await stage.pass(600);
  expect([db.volumes.get(name)?.state, world.volumes.has(name)]).toEqual(["retired", true]);
  world.otherEngine = null;
  await stage.until(() => db.volumes.get(name)?.state === "gone", HOURS);
  expect(world.volumes.has(name)).toBe(false);
});

it("a volume that a late job holds and hangs on is removed all the same, once its workspace is deleted", async () => {
  let refused = 0;
  let isHeld = true;
  const stage = new Stage({
    deps: (deps) => ({
      ...deps,
      volumes: {
        ...deps.volumes,
        remove: async (name) => {
          refused += isHeld ? 1 : 0;
          if (isHeld) throw new OperationFailure("ActionFailed", `the volume ${name} is in use.`);
          await deps.volumes.remove(name);
        },
      },
      jobs: {
        ...deps.jobs,
        end: async (id) => {
          if (stage.row(id).phase === "DELETED") isHeld = false;
          await deps.jobs.end(id);
        },
      },
    }),
  });
  const { db } = stage.cluster;
  const id = await stage.create("STANDBY");
  await stage.reaches(id, "STANDBY");
  const name = stage.row(id).homeVolume ?? "";
  await stage.does(stage.users.delete(id, false));
  await stage.until(() => db.volumes.get(name)?.state === "gone", 20 * HOURS);
  expect(refused).toBe(0);
});

import { systemClock } from "#adapters/system/clock.ts";
import { volumeName } from "#core/rows/names.ts";
import { activitySuite } from "../suites/activity.ts";
import { archiveStoreSuite } from "../suites/archive-store-suite.ts";
import { runtimeSuite } from "../suites/runtime-suite.ts";
import { storeSuite } from "../suites/store-suite.ts";
import { volumesSuite } from "../suites/volumes-suite.ts";
import { Database } from "./database.ts";
import { ActivityState, fakeActivity } from "./fake-activity.ts";
import { fakeArchives } from "./fake-archives.ts";
import { EngineWatchers, fakeRuntime, fakeVolumes, startContainer } from "./fake-engine.ts";
import { leaderStore, requestStore } from "./fake-store.ts";
import { SimProcess } from "./process.ts";
import { Sim } from "./sim.ts";
import { strangerTo, World } from "./world.ts";

/** A simulation without faults whose scheduler goes on by itself, so that a suite can simply wait for its promises. */
function running(): { sim: Sim; process: SimProcess; close: () => Promise<void> } {
  const sim = new Sim(1, false);
  let open = true;
  const pump = (async () => {
    while (open) if (!(await sim.scheduler.step())) await sim.scheduler.drain();
  })();
  const close = async (): Promise<void> => {
    open = false;
    await pump;
  };
  return { sim, process: new SimProcess("suite", sim.scheduler, 1, 7), close };
}

storeSuite("the simulated database", async () => {
  const { sim, process, close } = running();
  // The suite compares with the time of the machine it runs on.
  const db = new Database(sim.random.uuid(), () => systemClock.nowMs());
  const access = { sim, db, process };
  return {
    requestStore: requestStore(access),
    lead: () => Promise.resolve(leaderStore(access, db.mintEpoch(null).epoch, { fence: true })),
    owner: () => Promise.resolve(sim.random.uuid()),
    close,
  };
});

activitySuite("the simulated buffer", async () => {
  const { sim, process, close } = running();
  const state = new ActivityState();
  return { buffer: fakeActivity(sim, state, process), close };
});

volumesSuite("the simulated engine", async () => {
  const { sim, process, close } = running();
  const world = new World(sim);
  return {
    volumes: fakeVolumes(world, process),
    reopened: () => Promise.resolve(fakeVolumes(world, process)),
    stranger: () => Promise.resolve(fakeVolumes(new World(sim), process)),
    hasEmptyHome: (name) => Promise.resolve(world.volumes.get(name)?.content === 0),
    occupy: (name) => {
      const container = startContainer(world, sim.random.uuid(), null, name, 1);
      return Promise.resolve(async () => world.removeContainer(container.id));
    },
    close,
  };
});

runtimeSuite("the simulated engine", async () => {
  const { sim, process, close } = running();
  const world = new World(sim);
  const watchers = new EngineWatchers(world);
  let port = 40_000;
  return {
    runtime: fakeRuntime(world, process, watchers),
    restarted: () => Promise.resolve(fakeRuntime(world, process, watchers)),
    stranger: () => {
      const foreign = new World(sim);
      return Promise.resolve(fakeRuntime(foreign, process, new EngineWatchers(foreign)));
    },
    imageRef: "image:1",
    makeVolume: (workspaceId, attempt, sealed = true) => {
      const name = volumeName(workspaceId, attempt);
      world.createVolume(name, workspaceId, attempt);
      const volume = world.volumes.get(name);
      if (sealed && volume !== undefined) {
        volume.identity = { workspaceId, attempt, archiveKey: null, manifestDigest: null };
      }
      return Promise.resolve(name);
    },
    volumeExists: (name) => Promise.resolve(world.volumes.has(name)),
    hostPort: () => Promise.resolve(port++),
    exit: async ({ id }, code) => {
      const container = world.containers.get(id);
      if (container === undefined) return;
      container.exitCode = code;
      world.exitContainer(container);
    },
    close,
  };
});

archiveStoreSuite("the simulated object store", async () => {
  const { sim, process, close } = running();
  const world = new World(sim);
  return {
    store: fakeArchives(world, process),
    reopened: () => Promise.resolve(fakeArchives(world, process)),
    unfinishedUploads: () => Promise.resolve(world.uploads.size),
    leaveUnfinishedUpload: async () => {
      world.uploads.set(`${world.serial()}`, { key: "", begunAt: sim.scheduler.now });
    },
    leaveLoneMarker: async (key) => world.loseObject(key),
    replaced: async () => {
      world.otherStore = strangerTo(world);
      return fakeArchives(world, process);
    },
    vanish: async () => {
      sim.down.add("archives");
    },
    close,
  };
});

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
import { kubernetesRuntime, kubernetesVolumes } from "./fake-kubernetes.ts";
import { leaderStore, requestStore } from "./fake-store.ts";
import { Kubernetes } from "./kubernetes.ts";
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

/** A world on this kind of engine, with the volumes and containers as one process sees them. */
const ENGINES = {
  "the simulated engine": { runtimeOn: fakeRuntime, volumesOn: fakeVolumes, worldOf: (sim: Sim) => new World(sim) },
  "the simulated cluster": {
    runtimeOn: kubernetesRuntime,
    volumesOn: kubernetesVolumes,
    worldOf: (sim: Sim) => {
      const world = new World(sim);
      world.kubernetes = new Kubernetes(world);
      return world;
    },
  },
};

/** Ends it as whoever started it by hand would, and waits until it is gone. */
async function end(world: World, process: SimProcess, id: string): Promise<void> {
  if (world.kubernetes === null) world.removeContainer(id);
  world.kubernetes?.deletePod(id);
  while (world.containers.has(id)) await process.clock.sleep(100);
}

for (const [name, { runtimeOn, volumesOn, worldOf }] of Object.entries(ENGINES)) {
  volumesSuite(name, async () => {
    const { sim, process, close } = running();
    const world = worldOf(sim);
    return {
      volumes: volumesOn(world, process),
      reopened: () => Promise.resolve(volumesOn(world, process)),
      stranger: () => Promise.resolve(volumesOn(worldOf(sim), process)),
      hasEmptyHome: (volume) => Promise.resolve(world.volumes.get(volume)?.content === 0),
      occupy: (volume) => {
        const container = startContainer(world, sim.random.uuid(), null, volume, 1);
        return Promise.resolve(() => end(world, process, container.id));
      },
      close,
    };
  });

  runtimeSuite(name, async () => {
    const { sim, process, close } = running();
    const world = worldOf(sim);
    const watchers = new EngineWatchers(world);
    let port = 40_000;
    return {
      runtime: runtimeOn(world, process, watchers),
      restarted: () => Promise.resolve(runtimeOn(world, process, watchers)),
      stranger: () => {
        const foreign = worldOf(sim);
        return Promise.resolve(runtimeOn(foreign, process, new EngineWatchers(foreign)));
      },
      imageRef: "image:1",
      makeVolume: (workspaceId, attempt, sealed = true) => {
        const volumeOf = volumeName(workspaceId, attempt);
        world.createVolume(volumeOf, workspaceId, attempt);
        const volume = world.volumes.get(volumeOf);
        if (sealed && volume !== undefined) {
          volume.identity = { workspaceId, attempt, archiveKey: null, manifestDigest: null };
        }
        return Promise.resolve(volumeOf);
      },
      volumeExists: (volume) => Promise.resolve(world.volumes.has(volume)),
      hostPort: () => Promise.resolve(world.kubernetes === null ? port++ : null),
      exit: async ({ id }, code) => {
        const container = world.containers.get(id);
        if (container === undefined) return;
        container.exitCode = code;
        world.exitContainer(container);
      },
      close,
    };
  });
}

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

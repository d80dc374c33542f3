import path from "node:path";
import { ProcessJobLauncher } from "#adapters/process/jobs.ts";
import { createProcessRuntime } from "#adapters/process/runtime.ts";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { SetupJobRunner } from "#jobs/setup-jobs.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { World } from "#ports/world.ts";
import type { WorldParts } from "./world.ts";

export async function processWorld({ config, deploymentId, archives, portUrl, ide }: WorldParts): Promise<World> {
  let runtime: Awaited<ReturnType<typeof createProcessRuntime>> | null = null;
  const volumes = await openProcessVolumes({
    directory: path.join(config.DATA_DIR, "volumes"),
    deploymentId,
    references: async (name) => {
      const containers = (await runtime?.list()) ?? [];
      return containers.filter((container) => container.volume === name).map((container) => container.id);
    },
  });
  const more = portUrl === undefined ? {} : { portUrl };
  runtime = await createProcessRuntime({ dataDir: config.DATA_DIR, deploymentId, volumes, ide, ...more });
  const cacheDirectory = path.join(config.DATA_DIR, "cache");
  const launcher = new ProcessJobLauncher({ deploymentId, volumes, cacheDirectory, clock, setup: runtime.setup });
  return {
    runtime,
    volumes,
    archives,
    jobs: new StorageJobRunner({ store: archives, launcher, clock, ids }),
    setup: new SetupJobRunner(runtime.setup),
  };
}

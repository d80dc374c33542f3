import path from "node:path";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { readDeployment } from "#adapters/postgres/queries/deployment/read-deployment.ts";
import { one } from "#adapters/postgres/statement.ts";
import type { IdeCommand } from "#adapters/process/ide-command.ts";
import { ProcessJobLauncher } from "#adapters/process/jobs.ts";
import { createProcessRuntime } from "#adapters/process/runtime.ts";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import type { World } from "#coordinator/fenced.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { Database } from "./database.ts";

/** Runtime, volumes, archive store and storage jobs, as configured. `ide` replaces code-server, for tests. */
export async function openWorld(config: Config, database: Database, ide?: IdeCommand): Promise<World> {
  const { deployment_id: deploymentId } = await one(database.coordinator, readDeployment, {});
  const archives = await openFilesystemStore({ directory: path.join(config.DATA_DIR, "archives"), deploymentId });
  return await processWorld(config, deploymentId, archives, ide);
}

async function processWorld(
  config: Config,
  deploymentId: string,
  archives: World["archives"],
  ide: IdeCommand | undefined,
): Promise<World> {
  let runtime: Runtime | null = null;
  const volumes = await openProcessVolumes({
    directory: path.join(config.DATA_DIR, "volumes"),
    deploymentId,
    references: async (name) => {
      const containers = (await runtime?.list()) ?? [];
      return containers.filter((container) => container.volume === name).map((container) => container.id);
    },
  });
  runtime = await createProcessRuntime({ dataDir: config.DATA_DIR, deploymentId, volumes, ide });
  const launcher = new ProcessJobLauncher({ deploymentId, volumePath: (name) => volumes.path(name), clock });
  const jobs = new StorageJobRunner({ store: archives, launcher, clock, ids });
  return { runtime, volumes, archives, jobs };
}

import os from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { readDeployment } from "#adapters/postgres/queries/deployment/read-deployment.ts";
import { one } from "#adapters/postgres/statement.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { readConfig } from "#config/config.ts";
import { openSignals } from "../../src/compose/bus.ts";
import { superviseCoordinator } from "../../src/compose/coordinator.ts";
import { openDatabase } from "../../src/compose/database.ts";
import { kubernetesWorld } from "../../src/compose/kubernetes-world.ts";

/**
 * One coordinator as the program composes it, alone in a process so that its processor time and memory can be told. Nobody is
 * in a fake node's pods: only whether their IDE answers is not asked, and homes are never archived.
 */
const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();
setInterval(() => {
  process.send?.(delays.max / 1e6);
  delays.reset();
}, 1_000);
const config = readConfig(process.env, { isRoot: true, homeDir: os.homedir() });
const logger = createLogger({ level: config.LOG_LEVEL, destination: process.stderr });
const database = await openDatabase(config, logger);
const signals = await openSignals(config, database, logger);
const { deployment_id: deploymentId } = await one(database.api, readDeployment, {});
const archives = await openFilesystemStore({ directory: `${config.DATA_DIR}/archives`, deploymentId });
const world = await kubernetesWorld({ config, deploymentId, archives });
Object.assign(world.runtime, { answers: async () => true, confirms: async () => true });
await superviseCoordinator(
  { config, database, pool: await database.coordinator(), signals, world, logger },
  new AbortController().signal,
);

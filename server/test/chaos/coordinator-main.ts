import os from "node:os";
import path from "node:path";
import { createPool } from "#adapters/postgres/connection.ts";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { reachableNode } from "#adapters/process/ide-install.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { readConfig } from "#config/config.ts";
import { openSignals } from "../../src/compose/bus.ts";
import { superviseCoordinator } from "../../src/compose/coordinator.ts";
import { openWorld } from "../../src/compose/world.ts";

/** A coordinator and nothing else, as a process that can be killed, frozen and cut off. Its IDE starts at once. */
const config = readConfig(process.env, { isRoot: process.getuid?.() === 0, homeDir: os.homedir() });
const logger = createLogger({ level: config.LOG_LEVEL, destination: process.stderr });
const url = config.DATABASE_URL ?? "";
const database = {
  url,
  api: createPool({ url, role: API_ROLE, max: 4, applicationName: `chaos ${process.pid}` }),
  sealer: { has: async () => false, seal: async () => null, open: async () => null, rewrap: async () => null },
};
const pool = createPool({ url, role: COORDINATOR_ROLE, max: 8, applicationName: `chaos ${process.pid}` });
const node = await reachableNode(config.DATA_DIR);
const program = path.join(config.DATA_DIR, "fake-ide.mjs");
const world = await openWorld(config, database, { ide: { command: ({ socket }) => [node, program, socket] } });
const signals = await openSignals(config, database, logger);
const told = new AbortController();
process.once("SIGTERM", () => told.abort());
await superviseCoordinator({ config, database, pool, signals, world, logger }, told.signal);
// Kept, so that whoever started it finds it as it finds the others.
if (told.signal.aborted) setInterval(() => {}, 60_000);

import fs from "node:fs";
import path from "node:path";
import type { ApiSettings } from "#api/deps.ts";
import type { Config } from "#config/config.ts";
import type { World } from "#coordinator/fenced.ts";
import type { Logger } from "#ports/logger.ts";
import { type ApiPart, openApi } from "./api.ts";
import { openSignals } from "./bus.ts";
import { superviseCoordinator } from "./coordinator.ts";
import { openDatabase } from "./database.ts";
import { listen } from "./listen.ts";
import { openWorld } from "./world.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const DRAIN_MS = 5_000;

export interface RunningApp {
  /** Where people open the dashboard. */
  readonly url: string;
  readonly runtimeKind: string;
  readonly firstAdmin: ApiPart["firstAdmin"];
  stop(): Promise<void>;
}

/** Starts what this process's roles ask for, in the order in which things need each other; stops in reverse. */
export async function startApp(config: Config, logger: Logger): Promise<RunningApp> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) {
      await step().catch((error: unknown) => logger.warn({ error: String(error) }, "a part did not stop in order"));
    }
  };
  try {
    const database = await openDatabase(config, logger);
    undo.push(() => database.close());
    const signals = openSignals(config, logger);
    undo.push(() => signals.close());
    const world = await openWorld(config, database);
    if (config.ROLES.includes("coordinator")) undo.push(startCoordinator({ config, database, signals, world, logger }));
    // The port is known only once it is bound, and the dashboard's own address contains it.
    let handle: Parameters<typeof listen>[2] | null = null;
    const listening = await listen(config.HOST, config.PORT, {
      request: (request, response) => handle?.request(request, response),
      upgrade: (request, socket, head) => handle?.upgrade(request, socket, head),
    });
    undo.push(() => listening.close(DRAIN_MS));
    const settings = apiSettings(config, listening.port, world);
    const api = await openApi({ config, settings, database, signals, world, logger });
    undo.push(() => api.close());
    handle = {
      request: (request, response) => api.app.routing(request, response),
      upgrade: (_request, socket) => socket.destroy(),
    };
    return { url: settings.baseUrl.origin, runtimeKind: world.runtime.kind, firstAdmin: api.firstAdmin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startCoordinator(parts: Parameters<typeof superviseCoordinator>[0]): () => Promise<void> {
  const control = new AbortController();
  const running = superviseCoordinator(parts, control.signal);
  return async () => {
    control.abort();
    await running;
  };
}

function apiSettings(config: Config, port: number, world: World): ApiSettings {
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8"));
  const dashboard = path.join(ROOT, "dashboard/dist");
  const isProcess = world.runtime.kind === "process";
  return {
    version,
    baseUrl: new URL(config.BASE_URL ?? `http://localhost:${port}`),
    workspaceBaseUrl: config.WORKSPACE_BASE_URL ?? `http://{id}.localhost:${port}`,
    trustedProxies: config.TRUSTED_PROXIES,
    unsafeSingleOrigin: config.UNSAFE_SINGLE_ORIGIN,
    runtimeKind: world.runtime.kind === "simulated" ? "process" : world.runtime.kind,
    trustedSingleUser: isProcess,
    singleUserOnly: isProcess && process.getuid?.() !== 0,
    limits: {
      maxRunningPerUser: config.LIMITS_MAX_RUNNING_PER_USER,
      maxRunningGlobal: config.LIMITS_MAX_RUNNING_GLOBAL,
    },
    ttl: { standbyTtlSeconds: config.TTL_STANDBY_SECONDS, archiveTtlSeconds: config.TTL_ARCHIVE_SECONDS },
    trashRetentionMs: config.TRASH_RETENTION_SECONDS * 1_000,
    defaultImage: config.DEFAULT_IMAGE,
    images: config.IMAGE_ALLOWLIST.length === 0 ? [config.DEFAULT_IMAGE] : config.IMAGE_ALLOWLIST,
    dashboardDirectory: fs.existsSync(path.join(dashboard, "index.html")) ? dashboard : null,
  };
}

import fs from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import net from "node:net";
import path from "node:path";
import { inspect } from "node:util";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { openFileLimit } from "#adapters/system/open-files.ts";
import type { ApiSettings } from "#api/deps.ts";
import { type Addresses, addressesOf, type Config } from "#config/config.ts";
import { proxyWarnings } from "#config/proxy-warnings.ts";
import type { Logger } from "#ports/logger.ts";
import type { World } from "#ports/world.ts";
import { ConnectionLimit, clientsFor } from "#proxy/door/connection-limit.ts";
import { createFront, type FrontDeps, listen } from "#proxy/door/front.ts";
import type { WorkspaceProxy } from "#proxy/proxy.ts";
import { type ApiPart, openApi } from "./api.ts";
import { openSignals } from "./bus.ts";
import { superviseCoordinator } from "./coordinator.ts";
import { openDatabase } from "./database.ts";
import { openProxy } from "./proxy.ts";
import { allowedImages, runningLimits, trashRetentionMs, ttlDefaults } from "./settings.ts";
import { openWorld, type WorldOptions } from "./world.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const DRAIN_MS = 3_000;
/** Answered for any host name and by every role: whoever asks these knows an address, not a name. */
const HEALTH_CHECKS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

export interface RunningApp {
  /** Where people open the dashboard. */
  readonly url: string;
  readonly runtimeKind: string;
  readonly firstAdmin: ApiPart["firstAdmin"];
  readonly stop: () => Promise<void>;
}

/** Starts what this process's roles ask for, in the order in which things need each other; stops in reverse. */
export async function startApp(config: Config, logger: Logger, ide?: WorldOptions["ide"]): Promise<RunningApp> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) {
      await step().catch((error: unknown) => logger.warn({ error: String(error) }, "a part did not stop in order"));
    }
  };
  try {
    const database = await openDatabase(config, logger);
    undo.push(() => database.close());
    const signals = await openSignals(config, logger);
    undo.push(() => signals.close());
    const port = config.PORT === 0 ? await freePort() : config.PORT;
    const addresses = addressesOf(config, port);
    const portUrl = (id: string): string => addresses.workspaceBaseUrl.replace("{id}", `{{port}}--${id}`);
    const world = await openWorld(config, database, { portUrl, ide, logger });
    if (config.ROLES.includes("coordinator")) undo.push(startCoordinator({ config, database, signals, world, logger }));
    const settings = apiSettings(config, addresses, world);
    const localWorkspaces = world.runtime.kind === "process";
    for (const warning of proxyWarnings({ ...config, localWorkspaces })) logger.warn({}, warning);
    const api = await openApi({ config, settings, database, signals, world, logger });
    undo.push(() => api.close());
    // As many towards workspaces as there may be clients.
    const maxConnections = clientsFor(openFileLimit());
    const workspaces = config.ROLES.includes("proxy")
      ? openProxy({ config, database, signals, world, logger, api: api.deps, maxConnections })
      : null;
    const connections = new ConnectionLimit({ max: maxConnections, clock, logger });
    const onFault = (error: unknown): void =>
      logger.error({ error: inspect(error) }, "a connection ended because of an error that nobody expected");
    const makeServer = () => serve(config, api, workspaces?.proxy ?? null, { connections, onFault });
    const listening = await listen(makeServer, config.HOST, port, onFault);
    undo.push(async () => {
      const closed = listening.close();
      await workspaces?.close();
      await api.deps.hub.close();
      await Promise.race([closed, clock.sleep(DRAIN_MS)]);
    });
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

/** One server for all roles of this process; what is another role's is not answered here. */
function serve(
  config: Config,
  api: ApiPart,
  proxy: WorkspaceProxy | null,
  guards: Pick<FrontDeps, "connections" | "onFault">,
): Server {
  const isHealthCheck = (target: string | undefined): boolean => target !== undefined && HEALTH_CHECKS.has(target);
  const onlyHealth: RequestListener = (request, response) => {
    if (isHealthCheck(request.url)) return api.app.routing(request, response);
    response
      .writeHead(404, { "content-type": "text/plain" })
      .end(`This process has the roles ${config.ROLES.join(", ")} only.\n`);
  };
  const dashboard: RequestListener = config.ROLES.includes("api") ? api.app.routing : onlyHealth;
  if (proxy !== null)
    return createFront({
      proxy,
      dashboardOrigin: api.deps.settings.baseUrl.origin,
      dashboard,
      isHealthCheck,
      ...guards,
    });
  const server = createServer(dashboard);
  guards.connections.guard(server);
  return server;
}

/** PORT=0: the addresses of dashboard and workspaces contain the port, so it has to be known before anything listens. */
async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function apiSettings(config: Config, { baseUrl, workspaceBaseUrl }: Addresses, world: World): ApiSettings {
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8"));
  const dashboard = path.join(ROOT, "dashboard/dist");
  const isProcess = world.runtime.kind === "process";
  return {
    version,
    baseUrl: new URL(baseUrl),
    workspaceBaseUrl,
    trustedProxies: config.TRUSTED_PROXIES,
    unsafeSingleOrigin: config.UNSAFE_SINGLE_ORIGIN,
    runtimeKind: world.runtime.kind === "simulated" ? "process" : world.runtime.kind,
    trustedSingleUser: isProcess,
    limits: runningLimits(config),
    ttl: ttlDefaults(config),
    trashRetentionMs: trashRetentionMs(config),
    defaultImage: config.DEFAULT_IMAGE,
    images: allowedImages(config),
    metricsToken: config.METRICS_TOKEN,
    dashboardDirectory: fs.existsSync(path.join(dashboard, "index.html")) ? dashboard : null,
  };
}

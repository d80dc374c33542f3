import { createServer, type Server } from "node:http";
import { inspect } from "node:util";
import { Registry } from "prom-client";
import { remember } from "#adapters/postgres/look.ts";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { openFileLimit } from "#adapters/system/open-files.ts";
import { type Addresses, addressesOf, type Config } from "#config/config.ts";
import type { Logger } from "#ports/logger.ts";
import { ConnectionLimit, clientsFor } from "#proxy/door/connection-limit.ts";
import { createFront, type FrontDeps, listen } from "#proxy/door/front.ts";
import { Leaving } from "#proxy/door/leaving.ts";
import type { WorkspaceProxy } from "#proxy/proxy.ts";
import { freePort } from "#supervise/free-port.ts";
import type { ApiPart } from "./api.ts";
import { openSignals } from "./bus.ts";
import { listenOnSocket, untilAnswered } from "./control-socket.ts";
import { type CoordinatorParts, superviseCoordinator } from "./coordinator.ts";
import { isHealthCheck, openDashboard } from "./dashboard.ts";
import { type Database, openDatabase } from "./database.ts";
import { openProxy } from "./proxy.ts";
import { surroundingsOf } from "./surroundings.ts";
import { openTraces } from "./traces.ts";
import { openWorld, type WorldOptions } from "./world.ts";

/** Longer, and running workspaces are worth more than the dashboard's first answer. */
const SERVER_WAIT_MS = 10_000;

export interface RunningApp {
  /** Where people open the dashboard. */
  readonly url: string;
  readonly runtimeKind: string;
  readonly firstAdmin: ApiPart["firstAdmin"];
  /** What keeps workspaces from starting, in words; empty where nothing does, and in a proxy by itself. */
  readonly trouble: readonly string[];
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
  const isProxy = config.ROLES.includes("proxy");
  // A proxy without the API does without all that the API needs; a coordinator alone has it for its health checks. It is
  // loaded while the database is waited for.
  const apiModule = config.ROLES.includes("api") || !isProxy ? import("./api.ts") : null;
  try {
    const surroundings = surroundingsOf(config);
    const database = await openDatabase(config, logger);
    undo.push(() => database.close());
    const traces = await openTraces(config, logger);
    undo.push(() => traces.close());
    const signals = await openSignals(config, database, logger);
    undo.push(() => signals.close());
    const port = config.PORT === 0 ? await freePort() : config.PORT;
    const addresses = addressesOf(config, port);
    const portUrl = (name: string): string => addresses.workspaceBaseUrl.replace("{id}", `{{port}}--${name}`);
    const world = await openWorld({ ...config, PORT: port }, database, { portUrl, ide, logger });
    const parts = { config, addresses, database, signals, world, surroundings, logger, tracer: traces.tracer };
    if (config.ROLES.includes("coordinator")) undo.push(await startCoordinator(parts));

    const api = apiModule === null ? null : await (await apiModule).openApi({ ...parts });
    if (api !== null) undo.push(() => api.close());
    const registry = api?.deps.metrics.registry ?? new Registry();
    // As many towards workspaces as there may be clients, and towards a server of its own as many again.
    const maxConnections = clientsFor(openFileLimit(), isProxy && config.CONTROL_SOCKET !== null ? 3 : 2);
    const workspaces = isProxy ? openProxy({ ...parts, registry, maxConnections }) : null;
    const dashboard = openDashboard({ ...parts, api, registry });
    const connections = new ConnectionLimit({ max: maxConnections, clock, logger });
    const onFault = (error: unknown): void =>
      logger.error({ error: inspect(error) }, "a connection ended because of an error that nobody expected");
    const { origin } = new URL(addresses.baseUrl);
    const leaving = new Leaving();
    const guards = {
      leaving,
      dashboardOrigin: origin,
      dashboard: dashboard.request,
      isHealthCheck,
      connections,
      onFault,
    };
    if (isProxy && config.CONTROL_SOCKET !== null) await untilAnswered(config.CONTROL_SOCKET, SERVER_WAIT_MS);
    const controlSocket = workspaces === null ? config.CONTROL_SOCKET : null;
    const listening =
      controlSocket !== null
        ? await listenOnSocket(dashboard.request, controlSocket, onFault)
        : await listen(() => makeServer(guards, workspaces?.proxy ?? null), config.HOST, port, onFault);
    undo.push(async () => {
      leaving.begin();
      // Our own proxy has ended when this process is told to.
      if (controlSocket === null) await clock.sleep(config.SHUTDOWN_DRAIN_SECONDS * 1_000);
      const closed = listening.close();
      workspaces?.proxy.leave();
      await dashboard.leave();
      await Promise.race([closed, clock.sleep(config.SHUTDOWN_GRACE_SECONDS * 1_000)]);
      await workspaces?.close();
      dashboard.close();
    });
    const firstAdmin = api?.firstAdmin ?? null;
    // Last: who asks for something is answered meanwhile.
    const trouble = config.ROLES.includes("api") ? await lookForTrouble(parts) : [];
    return { url: origin, runtimeKind: world.runtime.kind, firstAdmin, trouble, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function lookForTrouble({ config, database, world, logger }: Parts): Promise<readonly string[]> {
  const { troubleAtStart, troubleWords } = await import("./trouble-at-start.ts");
  const found = await troubleAtStart(config, world, await remember(database.api));
  for (const { check, found: what, cure } of found)
    logger.error({ check, found: what, cure }, "something that workspaces need does not work");
  return troubleWords(found);
}

type Parts = Omit<CoordinatorParts, "pool"> & { readonly database: Database; readonly addresses: Addresses };

async function startCoordinator(parts: Parts): Promise<() => Promise<void>> {
  const control = new AbortController();
  const pool = await parts.database.coordinator();
  const { NOTICE_WEBHOOK_URL, SMTP_URL } = parts.config;
  const notices = { ...parts, pool, origin: parts.addresses.baseUrl };
  const inTerm = async (epoch: number, ended: AbortSignal): Promise<void> => {
    // Where nobody is told anything, nothing is loaded for it.
    if (NOTICE_WEBHOOK_URL === null && SMTP_URL === null) return;
    const { sendNotices } = await import("./notices.ts");
    await sendNotices(notices, epoch, ended);
  };
  const running = superviseCoordinator({ ...parts, pool, inTerm }, control.signal);
  return async () => {
    control.abort();
    await running;
  };
}

/** One server for all roles of this process. */
function makeServer(deps: Omit<FrontDeps, "proxy">, proxy: WorkspaceProxy | null): Server {
  if (proxy !== null) return createFront({ ...deps, proxy });
  const server = createServer((req, res) => {
    if (deps.leaving?.meets(req, res) !== true) deps.dashboard(req, res);
  });
  deps.connections.guard(server);
  return server;
}

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { collectDefaultMetrics, type Registry } from "prom-client";
import { PostgresViews } from "#adapters/postgres/stores/views.ts";
import { isDatabaseDown } from "#adapters/postgres/unavailable.ts";
import { sentMetricsToken } from "#api/health/metrics-token.ts";
import { readiness } from "#api/health/readiness.ts";
import type { Config } from "#config/config.ts";
import type { Logger } from "#ports/logger.ts";
import { createPassOn } from "#proxy/door/pass-on.ts";
import { sendJson, sendText } from "#proxy/pages/answers.ts";
import type { ApiPart } from "./api.ts";
import type { Signals } from "./bus.ts";
import type { Database } from "./database.ts";

/** Answered for any host name and by every role: whoever asks these knows an address, not a name. */
const ALIVE = "/healthz";
const HEALTH_CHECKS: ReadonlySet<string> = new Set([ALIVE, "/readyz", "/metrics"]);
const sayAlive = (response: ServerResponse): void => sendJson(response, 200, { status: "ok" });
export const isHealthCheck = (target: string | undefined): boolean => target !== undefined && HEALTH_CHECKS.has(target);

export interface DashboardParts {
  readonly config: Config;
  readonly database: Database;
  readonly signals: Signals;
  readonly logger: Logger;
  /** Null where this process has none. */
  readonly api: ApiPart | null;
  readonly registry: Registry;
}

export interface Dashboard {
  readonly request: RequestListener;
  /** What would go on for ever ends; everything else may come to its end. */
  readonly leave: () => Promise<void>;
  readonly close: () => void;
}

/** What this process answers where it is not a workspace's: by itself, by another process of ours, or only how it is. */
export function openDashboard(parts: DashboardParts): Dashboard {
  const { config, api, registry } = parts;
  const leaveApi = async (): Promise<void> => await api?.deps.hub.close();
  const here = (request: RequestListener): Dashboard => ({ request, leave: leaveApi, close: () => undefined });
  if (api !== null && config.ROLES.includes("api")) return here(api.app.routing);
  if (api !== null) return here(onlyHealth(config, api.app.routing));
  if (config.CONTROL_SOCKET !== null) {
    const { request, leave, close } = createPassOn({
      socketPath: config.CONTROL_SOCKET,
      metrics: () => registry.metrics(),
    });
    // Whether this process lives is its own to say: a server that is away for a moment is no reason to end it.
    return {
      request: (req, res) => (req.url === ALIVE ? sayAlive(res) : request(req, res)),
      leave: async () => leave(),
      close,
    };
  }
  collectDefaultMetrics({ register: registry, prefix: "codehub_process_" });
  return here(onlyHealth(config, healthOf(parts)));
}

/** What is another role's is not answered here. */
function onlyHealth(config: Config, health: RequestListener): RequestListener {
  return (request, response) => {
    if (isHealthCheck(request.url)) health(request, response);
    else sendText(response, 404, `This process has the roles ${config.ROLES.join(", ")} only.\n`);
  };
}

/** Of a process without an API. Administrators are not recognised here: metrics are for whoever has the token. */
function healthOf({ config, database, signals, logger, registry }: DashboardParts): RequestListener {
  const deps = {
    views: new PostgresViews(database.api),
    bus: signals.bus,
    readiness: async () => [],
    isDatabaseDown,
    logger,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === ALIVE) return sayAlive(response);
    if (request.url === "/readyz") {
      const state = await readiness(deps);
      return sendJson(response, state.ready ? 200 : 503, state);
    }
    if (!sentMetricsToken(request.headers, config.METRICS_TOKEN))
      return sendText(response, 401, "Send METRICS_TOKEN as Authorization: Bearer.\n", {
        "WWW-Authenticate": "Bearer",
      });
    sendText(response, 200, await registry.metrics(), { "Content-Type": registry.contentType });
  };
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.warn({ error: String(error) }, "a health check could not be answered");
      sendText(response, 500, "The health of this process could not be determined.\n");
    });
  };
}

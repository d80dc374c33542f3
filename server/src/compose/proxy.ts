import { PostgresHandoverStore } from "#adapters/postgres/stores/handover-store.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { findSessionCookie } from "#api/accounts/session-cookie.ts";
import type { ApiDeps } from "#api/deps.ts";
import type { Config } from "#config/config.ts";
import { ActivityRecorder } from "#events/activity.ts";
import { proxyChannel, SESSIONS } from "#events/channels.ts";
import type { Logger } from "#ports/logger.ts";
import type { World } from "#ports/world.ts";
import { createOrigins } from "#proxy/door/origins.ts";
import { createProxyMetrics } from "#proxy/metrics.ts";
import { createProxy, type WorkspaceProxy } from "#proxy/proxy.ts";
import type { Signals } from "./bus.ts";
import type { Database } from "./database.ts";
import { activityFlushMs } from "./settings.ts";

export interface ProxyParts {
  readonly config: Config;
  readonly database: Database;
  readonly signals: Signals;
  readonly world: World;
  readonly logger: Logger;
  /** What the API has already opened. */
  readonly api: ApiDeps;
  /** How many connections to workspaces the process has room for. */
  readonly maxConnections: number;
}

/** The workspace proxy with everything behind it. */
export function openProxy(parts: ProxyParts): { readonly proxy: WorkspaceProxy; readonly close: () => Promise<void> } {
  const { config, database, signals, world, logger, api, maxConnections } = parts;
  const { settings } = api;
  const origins = createOrigins({
    baseUrl: settings.baseUrl,
    workspaceBaseUrl: settings.workspaceBaseUrl,
    unsafeSingleOrigin: config.UNSAFE_SINGLE_ORIGIN,
  });
  const flushMs = activityFlushMs(config);
  const recorder = new ActivityRecorder({ source: ids.uuid(), buffer: signals.activity, clock, logger, flushMs });
  const ending = new AbortController();
  const recording = recorder.run(ending.signal);
  const proxy = createProxy({
    origins,
    loginPath: "/login",
    dashboardToken: (header) => findSessionCookie(header, settings.baseUrl.protocol === "https:"),
    clock,
    logger,
    metrics: createProxyMetrics(api.metrics.registry),
    sessions: api.sessions,
    handovers: new PostgresHandoverStore(database.api),
    workspaces: api.workspaces,
    views: api.views,
    requests: api.requests,
    runtime: world.runtime,
    activity: recorder,
    maxConnections,
  });
  const hearing = signals.bus.subscribe(proxyChannel(signals.channels), (message) => {
    if (message === SESSIONS) proxy.sessionsChanged();
    else proxy.workspaceChanged(message);
  });
  const close = async (): Promise<void> => {
    (await hearing).end();
    proxy.close();
    ending.abort();
    await recording;
  };
  return { proxy, close };
}

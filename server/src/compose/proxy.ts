import type { Registry } from "prom-client";
import { PostgresHandoverStore } from "#adapters/postgres/stores/handover-store.ts";
import { PostgresRequestStore } from "#adapters/postgres/stores/request-store.ts";
import { PostgresSessionStore } from "#adapters/postgres/stores/session-store.ts";
import { PostgresShareStore } from "#adapters/postgres/stores/share-store.ts";
import { PostgresViews } from "#adapters/postgres/stores/views.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { findSessionCookie } from "#api/accounts/session-cookie.ts";
import type { Addresses, Config } from "#config/config.ts";
import { ActivityRecorder } from "#events/activity.ts";
import { proxyChannel, SESSIONS } from "#events/channels.ts";
import type { Logger } from "#ports/logger.ts";
import type { Tracer } from "#ports/tracer.ts";
import type { World } from "#ports/world.ts";
import { createOrigins } from "#proxy/door/origins.ts";
import { createProxyMetrics } from "#proxy/metrics.ts";
import { createProxy, type WorkspaceProxy } from "#proxy/proxy.ts";
import type { Signals } from "./bus.ts";
import type { Database } from "./database.ts";
import { openRequests } from "./requests.ts";
import { activityFlushMs, keepAwakeMaxMs, portSharing, ttlDefaults } from "./settings.ts";

export interface ProxyParts {
  readonly config: Config;
  readonly database: Database;
  readonly signals: Signals;
  readonly world: World;
  readonly logger: Logger;
  readonly tracer?: Tracer | undefined;
  readonly addresses: Addresses;
  readonly registry: Registry;
  /** How many connections to workspaces the process has room for. */
  readonly maxConnections: number;
}

/** The workspace proxy with everything behind it. */
export function openProxy(parts: ProxyParts): { readonly proxy: WorkspaceProxy; readonly close: () => Promise<void> } {
  const { config, database, signals, world, logger, tracer, addresses, registry, maxConnections } = parts;
  const baseUrl = new URL(addresses.baseUrl);
  const origins = createOrigins({
    baseUrl,
    workspaceBaseUrl: addresses.workspaceBaseUrl,
    unsafeSingleOrigin: config.UNSAFE_SINGLE_ORIGIN,
  });
  const flushMs = activityFlushMs(config);
  const recorder = new ActivityRecorder({ source: ids.uuid(), buffer: signals.activity, clock, logger, flushMs });
  const ending = new AbortController();
  const recording = recorder.run(ending.signal);
  const views = new PostgresViews(database.api);
  const workspaces = new PostgresRequestStore(database.api);
  const proxy = createProxy({
    origins,
    loginPath: "/login",
    dashboardToken: (header) => findSessionCookie(header, baseUrl.protocol === "https:"),
    clock,
    logger,
    metrics: createProxyMetrics(registry),
    tracer,
    sessions: new PostgresSessionStore(database.api),
    handovers: new PostgresHandoverStore(database.api),
    workspaces,
    views,
    requests: openRequests(config, { requestStore: workspaces, views, world }),
    runtime: world.runtime,
    activity: recorder,
    sleep: { ttl: ttlDefaults(config), keepAwakeMaxMs: keepAwakeMaxMs(config) },
    shares: new PostgresShareStore(database.api),
    sharing: portSharing(config),
    maxConnections,
  });
  const hearing = signals.bus.subscribe(proxyChannel(signals.channels), (message) => {
    if (message === SESSIONS) proxy.sessionsChanged();
    else proxy.workspaceChanged(message);
  });
  // After a gap everything that is open is looked at again.
  const loss = signals.bus.onLoss(() => proxy.sessionsChanged());
  const close = async (): Promise<void> => {
    loss.end();
    (await hearing).end();
    proxy.close();
    ending.abort();
    await recording;
  };
  return { proxy, close };
}

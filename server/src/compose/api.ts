import type { FastifyInstance } from "fastify";
import { PostgresAccountStore } from "#adapters/postgres/stores/account-store.ts";
import { audit } from "#adapters/postgres/stores/audit.ts";
import { PostgresCheckRequests } from "#adapters/postgres/stores/check-store.ts";
import { resumeGarbageCollection } from "#adapters/postgres/stores/garbage-collection.ts";
import { insertLines, lineBy } from "#adapters/postgres/stores/history.ts";
import { readAttention } from "#adapters/postgres/stores/notice-store.ts";
import { PostgresRequestStore } from "#adapters/postgres/stores/request-store.ts";
import { PostgresSessionStore } from "#adapters/postgres/stores/session-store.ts";
import { PostgresShareStore } from "#adapters/postgres/stores/share-store.ts";
import { PostgresThrottleStore } from "#adapters/postgres/stores/throttle-store.ts";
import { PostgresTokenStore } from "#adapters/postgres/stores/token-store.ts";
import { PostgresUserKeyStore } from "#adapters/postgres/stores/user-key-store.ts";
import { PostgresViews } from "#adapters/postgres/stores/views.ts";
import { isDatabaseDown } from "#adapters/postgres/unavailable.ts";
import { newSshKey } from "#adapters/secrets/ssh-key.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { ensureFirstAdmin } from "#api/accounts/accounts.ts";
import { PasswordHasher } from "#api/accounts/password-hasher.ts";
import type { ApiDeps, Examined } from "#api/deps.ts";
import { runHousekeeping } from "#api/health/housekeeping.ts";
import { createMetrics } from "#api/health/metrics.ts";
import { buildApi } from "#api/server.ts";
import { presentSummary } from "#api/workspaces/present-summary.ts";
import { reachWarnings } from "#config/allowed-networks.ts";
import type { Addresses, Config } from "#config/config.ts";
import { proxyWarnings } from "#config/proxy-warnings.ts";
import { EventHub } from "#events/hub.ts";
import type { Logger } from "#ports/logger.ts";
import type { Tracer } from "#ports/tracer.ts";
import type { World } from "#ports/world.ts";
import { apiSettings } from "./api-settings.ts";
import type { Signals } from "./bus.ts";
import type { Database } from "./database.ts";
import { openRequests } from "./requests.ts";

export interface ApiPart {
  readonly app: FastifyInstance;
  readonly deps: ApiDeps;
  /** The first admin with a generated password, to be shown once; null later. */
  readonly firstAdmin: { readonly username: string; readonly password: string } | null;
  readonly close: () => Promise<void>;
}

export interface ApiParts {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly database: Database;
  readonly signals: Signals;
  readonly world: World;
  readonly logger: Logger;
  readonly tracer?: Tracer | undefined;
}

/** The HTTP API with everything behind it. */
export async function openApi(parts: ApiParts): Promise<ApiPart> {
  const { config, addresses, database, signals, world, logger, tracer } = parts;
  const settings = apiSettings(config, addresses, world);
  const known = { ...config, localWorkspaces: world.runtime.kind === "process" };
  for (const warning of [...proxyWarnings(known), ...reachWarnings(known)]) logger.warn({}, warning);
  const { bus, channels } = signals;
  const views = new PostgresViews(database.api);
  const sessions = new PostgresSessionStore(database.api);
  const tokens = new PostgresTokenStore(database.api);
  const accounts = new PostgresAccountStore(database.api);
  const metrics = createMetrics({ processMetrics: true });
  const hasher = new PasswordHasher();
  const requestStore = new PostgresRequestStore(database.api);
  const requests = openRequests(config, { requestStore, views, world });
  const policy = { ttl: settings.ttl, trashRetentionMs: settings.trashRetentionMs };
  const hub = new EventHub({
    bus,
    channels,
    views,
    sessions,
    tokens,
    present: (view) => presentSummary(view, { policy, now: clock.nowMs() }),
    clock,
    logger,
    count: (type, clients) => metrics.events.inc({ type }, clients),
  });
  const deps: ApiDeps = {
    settings,
    clock,
    ids,
    logger,
    metrics,
    tracer,
    hasher,
    workspaces: requestStore,
    requests,
    views,
    accounts,
    sessions,
    tokens,
    throttle: new PostgresThrottleStore(database.api),
    userKeys: new PostgresUserKeyStore(database.api, database.sealer, ids),
    checks: new PostgresCheckRequests(database.api),
    shares: new PostgresShareStore(database.api),
    newSshKey,
    bus,
    hub,
    archives: world.archives,
    logs: (containerId, lines) => world.runtime.logs(containerId, lines),
    listening: (containerId) => world.runtime.listening(containerId),
    home: world.runtime,
    tell: (workspace, by, kind, code, details) =>
      insertLines(database.api, workspace, [lineBy(by, kind, code, details)]),
    audit: (actor, kind, details) => audit(database.api, actor, kind, details),
    resumeGc: async (actorId) =>
      resumeGarbageCollection(await database.coordinator(), actorId, await world.archives.readGeneration()),
    attention: () => readAttention(database.api),
    examine: atMostEvery(EXAMINE_MS, () => examined(config, database)),
    isDatabaseDown,
    readiness: () => partsSeen(views),
  };
  const firstAdmin = await ensureFirstAdmin(
    { accounts, hasher, ids },
    { username: config.ADMIN_USERNAME, password: config.ADMIN_PASSWORD },
  );
  const app = await buildApi(deps);
  const stop = new AbortController();
  const housekeeping = runHousekeeping(deps, stop.signal);
  const close = async (): Promise<void> => {
    stop.abort();
    await hub.close();
    await app.close();
    await housekeeping;
  };
  return { app, deps, firstAdmin, close };
}

/** It asks every part a few things, so that several open pages ask together, and not all the time. */
const EXAMINE_MS = 30_000;

async function examined(config: Config, database: Pick<Database, "url">): Promise<Examined> {
  const { examine } = await import("./doctor.ts");
  const { spoken } = await import("./spoken-findings.ts");
  const { findings, ...rest } = await examine(config, { kind: "url", url: database.url, embedded: false });
  return { ...rest, findings: spoken(findings) };
}

function atMostEvery<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | null = null;
  return () => {
    if (last === null || clock.monotonicMs() - last.at > ms) last = { at: clock.monotonicMs(), answer: ask() };
    return last.answer;
  };
}

/** What the leader last saw of the parts that workspaces need. Without them people can still sign in and read. */
async function partsSeen(views: PostgresViews): Promise<{ name: string; ok: boolean; detail: string }[]> {
  const fleet = await views.fleet();
  const components = fleet.components.map(({ name, status, detail }) => ({ name, ok: status === "ok", detail }));
  const leads = fleet.leader !== null;
  return [
    { name: "leader", ok: leads, detail: leads ? "A coordinator leads." : "No coordinator leads." },
    ...components,
  ];
}

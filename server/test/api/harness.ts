import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { ApiError, type Client, createClient } from "@codehub/contract";
import type { FastifyInstance } from "fastify";
import pg from "pg";
import { Agent, request as undiciRequest } from "undici";
import { MemoryBus } from "#adapters/memory/bus.ts";
import { createPool } from "#adapters/postgres/connection.ts";
import { PostgresNotificationSource } from "#adapters/postgres/notification-source.ts";
import { API_ROLE } from "#adapters/postgres/roles.ts";
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
import { checkOf, type FileKey, newKey } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import { newSshKey } from "#adapters/secrets/ssh-key.ts";
import { systemClock, systemIds } from "#adapters/system/clock.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { createAccount } from "#api/accounts/accounts.ts";
import { PasswordHasher } from "#api/accounts/password-hasher.ts";
import type { ApiDeps, ApiSettings } from "#api/deps.ts";
import { createMetrics } from "#api/health/metrics.ts";
import { buildApi } from "#api/server.ts";
import { presentSummary } from "#api/workspaces/present-summary.ts";
import { EventHub } from "#events/hub.ts";
import { ChangeListener } from "#events/listener.ts";
import type { Bus } from "#ports/bus.ts";
import { WorkspaceRequests } from "#requests/workspace-requests.ts";
import { DEFAULT_CHANNELS } from "../fixtures/settings.ts";

export const METRICS_TOKEN = "metrics-token-of-the-tests";
export const PASSWORD = "correct horse battery";

export interface TestApi extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly app: FastifyInstance;
  readonly deps: ApiDeps;
  /** Superuser's hand in the database, to play the coordinator and to look behind the scenes. */
  readonly sql: pg.Pool;
  /** Every line that was logged. */
  readonly logs: string[];
  readonly user: (name: string, role?: "admin" | "user") => Promise<TestUser>;
}

export interface TestUser {
  readonly id: string;
  readonly name: string;
  readonly cookie: string;
  readonly client: Client;
}

export interface TestApiOptions {
  readonly databaseUrl: string;
  readonly bus?: Bus;
  readonly settings?: Partial<ApiSettings>;
  readonly singleUserOnly?: boolean;
  readonly hasher?: PasswordHasher;
  readonly dashboardDirectory?: string;
  /** Whether this process also passes on the triggers' notifications, as the leader does. */
  readonly listens?: boolean;
  readonly overrides?: Partial<ApiDeps>;
  /** With which secrets are sealed; one of the test's own where none is given. */
  readonly key?: FileKey;
}

/** The real API on a real port over a real database: everything but the engine and the store is the real thing. */
export async function startApi(options: TestApiOptions): Promise<TestApi> {
  const pool = createPool({ url: options.databaseUrl, role: API_ROLE, max: 20, applicationName: "test api" });
  const sql = new pg.Pool({ connectionString: options.databaseUrl, max: 4 });
  sql.on("error", () => undefined);
  const logs: string[] = [];
  const logger = createLogger({ level: "info", destination: { write: (line: string) => void logs.push(line) } });
  const bus = options.bus ?? new MemoryBus();
  const settings: ApiSettings = {
    version: "0.0.0-test",
    baseUrl: new URL("http://localhost"),
    workspaceBaseUrl: "http://{id}.localhost",
    newAddress: "words",
    trustedProxies: ["127.0.0.1"],
    behindOwnProxy: false,
    unsafeSingleOrigin: false,
    runtimeKind: "docker",
    trustedSingleUser: false,
    lacks: ["user_name"],
    ownPorts: [8_080],
    portSharing: "public",
    limits: { maxRunningPerUser: 2, maxRunningGlobal: 100 },
    ttl: { standbyTtlSeconds: 600, archiveTtlSeconds: 1800 },
    trashRetentionMs: 7 * 86_400_000,
    usageRetentionMs: 90 * 86_400_000,
    homeSizes: { newBytes: 10 * 1024 ** 3, ownerMaxBytes: 50 * 1024 ** 3 },
    defaultImage: "codehub/default",
    images: ["codehub/default", "codehub/other:1"],
    gitHttpHosts: ["plain.example.com"],
    metricsToken: METRICS_TOKEN,
    dashboardDirectory: options.dashboardDirectory ?? null,
    ...options.settings,
  };
  const views = new PostgresViews(pool);
  const requestStore = new PostgresRequestStore(pool);
  const sessions = new PostgresSessionStore(pool);
  const tokens = new PostgresTokenStore(pool);
  const metrics = createMetrics({ processMetrics: false });
  const key = options.key ?? newKey();
  const sealer = new FileSealer("/nonexistent/secrets.key", [key]);
  await sql.query("INSERT INTO secret_keys VALUES ($1, $2, 'sealing') ON CONFLICT DO NOTHING", [key.id, checkOf(key)]);
  const policy = { ttl: settings.ttl, trashRetentionMs: settings.trashRetentionMs };
  const hub = new EventHub({
    bus,
    channels: DEFAULT_CHANNELS,
    views,
    sessions,
    tokens,
    present: (view) => presentSummary(view, { policy, now: systemClock.nowMs() }),
    clock: systemClock,
    logger,
    count: (type, clients) => metrics.events.inc({ type }, clients),
  });
  const deps: ApiDeps = {
    settings,
    clock: systemClock,
    ids: systemIds,
    logger,
    metrics,
    hasher: options.hasher ?? new PasswordHasher(),
    workspaces: requestStore,
    requests: new WorkspaceRequests({
      requestStore,
      views,
      limits: settings.limits,
      images: settings.images,
      homeSizes: settings.homeSizes,
      addressForm: "words",
      ids: systemIds,
      keepAwakeMaxMs: 3_600_000,
      singleUserOnly: options.singleUserOnly ?? false,
    }),
    views,
    accounts: new PostgresAccountStore(pool),
    sessions,
    tokens,
    throttle: new PostgresThrottleStore(pool),
    userKeys: new PostgresUserKeyStore(pool, sealer, systemIds),
    checks: new PostgresCheckRequests(pool),
    shares: new PostgresShareStore(pool),
    newSshKey,
    bus,
    hub,
    archives: {
      get: async (key) => ({ body: Readable.from([`bytes of ${key}`]), sizeBytes: `bytes of ${key}`.length }),
    },
    logs: async (containerId) => `started ${containerId}\nlistening\n`,
    listening: async () => [
      { port: 3_000, program: "node vite" },
      { port: 8_080, program: "node" },
    ],
    home: { lookIntoHome: null, emptyInHome: null },
    tell: (workspace, by, kind, code, details) => insertLines(pool, workspace, [lineBy(by, kind, code, details)]),
    audit: (actor, kind, details) => audit(pool, actor, kind, details),
    resumeGc: (actorId) => resumeGarbageCollection(sql, actorId, 0),
    attention: () => readAttention(pool),
    isDatabaseDown,
    examine: async () => ({ at: systemClock.nowMs(), machine: "here", findings: [] }),
    readiness: async () => [],
    ...options.overrides,
  };
  const app = await buildApi(deps);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const stop = new AbortController();
  const listener = new ChangeListener({
    source: new PostgresNotificationSource(options.databaseUrl, logger),
    bus,
    channels: DEFAULT_CHANNELS,
    clock: systemClock,
    logger,
  });
  const listening = options.listens === false ? Promise.resolve() : listener.run(stop.signal);

  const user = async (name: string, role: "admin" | "user" = "user"): Promise<TestUser> => {
    const actor = { kind: "system", userId: null, address: null } as const;
    const { account } = await createAccount(deps, { username: name, password: PASSWORD, role }, actor);
    const cookie = await signIn(url, settings.baseUrl.origin, name, PASSWORD);
    return { id: account.id, name, cookie, client: clientFor(url, settings.baseUrl.origin, { cookie }) };
  };

  return {
    url,
    origin: settings.baseUrl.origin,
    app,
    deps,
    sql,
    logs,
    user,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await hub.close();
      app.server.closeAllConnections();
      await app.close();
      await listening;
      await Promise.all([pool.end(), sql.end()]);
    },
  };
}

/** A fetch that says what a browser on the dashboard would say; `host` because tests connect by address. */
export const browserFetch =
  (origin: string, headers: Readonly<Record<string, string>> = {}) =>
  (url: string, init: PlainInit): Promise<Response> =>
    rawRequest(url, { ...init, headers: { host: new URL(origin).host, origin, ...headers, ...init.headers } });

export interface PlainInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const clientFor = (url: string, origin: string, headers: Readonly<Record<string, string>>): Client =>
  createClient({ baseUrl: url, fetch: (address, init) => browserFetch(origin, headers)(address, init) });

export async function signIn(url: string, origin: string, username: string, password: string): Promise<string> {
  const response = await browserFetch(origin, { cookie: "__Host-Http-codehub_probe=1" })(`${url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  const cookie = response.headers.getSetCookie().find((line) => line.startsWith("__Host-Http-codehub="));
  if (response.status !== 200 || cookie === undefined)
    throw new Error(`login: ${response.status} ${await response.text()}`);
  return cookie.split(";")[0] ?? "";
}

/** The code of the error a call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return "ACCEPTED";
}

const agent = new Agent({ connections: 256, pipelining: 1 });

/** fetch does not let callers set Host; this does, and looks like fetch otherwise. */
export async function rawRequest(url: string, init: PlainInit): Promise<Response> {
  const answer = await undiciRequest(url, {
    method: (init.method ?? "GET") as "GET",
    headers: { ...init.headers },
    body: init.body ?? null,
    dispatcher: agent,
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) headers.append(name, item);
  const text = await answer.body.text();
  const empty = [204, 304].includes(answer.statusCode);
  // Nothing follows a 204; a length would be a lie, and every 204 of every test comes by here.
  if (answer.statusCode === 204 && (headers.has("content-length") || headers.has("transfer-encoding")))
    throw new Error(`${init.method} ${url} is answered by a 204 that speaks of a body`);
  return new Response(empty ? null : text, { status: answer.statusCode, headers });
}

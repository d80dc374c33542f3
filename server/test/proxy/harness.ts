import type { Server } from "node:http";
import { request as httpRequest, type IncomingHttpHeaders, type RequestListener, type RequestOptions } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Registry } from "prom-client";
import { systemClock, systemIds } from "#adapters/system/clock.ts";
import type { Limits } from "#core/requests/limits.ts";
import type { SharingBound } from "#core/requests/sharing.ts";
import type { AddressForm } from "#core/rows/address.ts";
import type { Clock } from "#ports/clock.ts";
import type { IdeFiles } from "#ports/ide-files.ts";
import type { Logger } from "#ports/logger.ts";
import { ConnectionLimit } from "#proxy/door/connection-limit.ts";
import type { CookieFinding } from "#proxy/door/cookies.ts";
import { createFront } from "#proxy/door/front.ts";
import { createOrigins, type Origins } from "#proxy/door/origins.ts";
import { createProxyMetrics, type ProxyMetrics } from "#proxy/metrics.ts";
import { createProxy, type WorkspaceProxy } from "#proxy/proxy.ts";
import { WorkspaceRequests } from "#requests/workspace-requests.ts";
import { World } from "./memory-deps.ts";

export const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT,
};

/** What a test that does not say otherwise gets; see id-hosts.test.ts. */
export const usual: { form: AddressForm } = { form: "words" };

export interface FrontOptions {
  readonly baseUrl?: string;
  /** What workspaces are called in host names. */
  readonly form?: AddressForm;
  readonly workspaceBaseUrl?: string;
  readonly singleOrigin?: boolean;
  readonly limits?: Limits;
  readonly singleUserOnly?: boolean;
  readonly clock?: Clock;
  /** Instead of one that only says its name. */
  readonly dashboard?: RequestListener;
  readonly headMs?: number;
  readonly maxConnections?: number;
  readonly maxWorkspaceConnections?: number;
  readonly logger?: Logger;
  readonly ideFiles?: IdeFiles;
  readonly sharing?: SharingBound;
}

/** The dashboard's session cookie under the two names it may have. */
export function dashboardToken(header: string | undefined): CookieFinding {
  const values = (header ?? "")
    .split(/;\s*/)
    .flatMap((part) => (part.startsWith("__Host-Http-codehub=") ? [part.slice(20)] : []));
  if (values.length > 1) return { kind: "ambiguous" };
  return values[0] === undefined ? { kind: "none" } : { kind: "token", token: values[0] };
}

export interface Front {
  readonly world: World;
  /** What went wrong with us, as told. */
  readonly faults: readonly unknown[];
  readonly origins: Origins;
  readonly proxy: WorkspaceProxy;
  readonly metrics: ProxyMetrics;
  readonly port: number;
  readonly ask: (options: Ask) => Promise<Answer>;
  /** Bytes in, bytes out, until the server closes. */
  readonly raw: (bytes: string | Buffer) => Promise<string>;
  readonly socket: () => Promise<Socket>;
  /** How many clients the server holds. */
  readonly connections: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

export interface Ask {
  readonly host?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly trailers: NodeJS.Dict<string>;
}

const SLEEP = { ttl: { standbyTtlSeconds: 600, archiveTtlSeconds: 1_800 }, keepAwakeMaxMs: 90 * 60_000 };

/** A whole front on a real socket: proxy, door, and a dashboard that only says its name. */
export async function startFront(options: FrontOptions = {}): Promise<Front> {
  const world = new World();
  world.form = options.form ?? usual.form;
  world.ideFiles = options.ideFiles ?? null;
  const faults: unknown[] = [];
  const origins = createOrigins({
    baseUrl: new URL(options.baseUrl ?? "http://localhost:8000"),
    workspaceBaseUrl: options.workspaceBaseUrl ?? "http://{id}.localhost:8000",
    unsafeSingleOrigin: options.singleOrigin ?? false,
  });
  const metrics = createProxyMetrics(new Registry());
  const proxy = createProxy({
    origins,
    loginPath: "/login",
    dashboardToken,
    clock: options.clock ?? systemClock,
    logger: SILENT,
    metrics,
    sessions: world,
    handovers: world,
    workspaces: world,
    views: world,
    requests: new WorkspaceRequests({
      requestStore: world,
      views: world,
      limits: options.limits ?? { maxRunningPerUser: 2, maxRunningGlobal: 100 },
      images: [],
      homeSizes: null,
      addressForm: "words",
      ids: systemIds,
      keepAwakeMaxMs: SLEEP.keepAwakeMaxMs,
      singleUserOnly: options.singleUserOnly ?? false,
    }),
    runtime: world,
    activity: world,
    sleep: SLEEP,
    shares: { open: (ids) => world.open(ids) },
    sharing: options.sharing ?? "public",
    maxConnections: options.maxWorkspaceConnections ?? 10_000,
  });
  const server = createFront({
    proxy,
    dashboardOrigin: origins.dashboard,
    dashboard: options.dashboard ?? ((_req, res) => res.end("dashboard")),
    isHealthCheck: (target) => target === "/healthz",
    connections: new ConnectionLimit({
      max: options.maxConnections ?? 10_000,
      clock: options.clock ?? systemClock,
      logger: options.logger ?? SILENT,
    }),
    ...(options.headMs === undefined ? {} : { headMs: options.headMs }),
    onFault: (error) => faults.push(error),
  });
  const port = await listenOn(server);
  return {
    world,
    faults,
    origins,
    proxy,
    metrics,
    port,
    ask: (ask) => ask_(port, ask),
    raw: (bytes) => raw(port, bytes),
    socket: () => open(port),
    connections: () => new Promise((done) => server.getConnections((_error, count) => done(count))),
    async stop() {
      proxy.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export const listenOn = (server: Server): Promise<number> =>
  new Promise((done) => server.listen(0, "127.0.0.1", () => done((server.address() as AddressInfo).port)));

export const open = (port: number): Promise<Socket> =>
  new Promise((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => done(socket)).once("error", fail);
  });

async function raw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await open(port);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise((done) => socket.once("close", done));
  socket.on("error", () => undefined);
  socket.write(bytes);
  await closed;
  return Buffer.concat(chunks).toString("latin1");
}

function ask_(
  port: number,
  { host = "localhost:8000", path = "/", method = "GET", headers = {}, body }: Ask,
): Promise<Answer> {
  const options: RequestOptions = {
    host: "127.0.0.1",
    port,
    path,
    method,
    headers: { host, ...headers },
    agent: false,
  };
  return new Promise((done, fail) => {
    const req = httpRequest(options, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", fail);
      res.on("end", () =>
        done({
          status: res.statusCode ?? 0,
          headers: res.headers,
          rawHeaders: res.rawHeaders,
          body: Buffer.concat(chunks).toString(),
          trailers: res.trailers,
        }),
      );
    });
    req.on("error", fail);
    req.end(body);
  });
}

/** The cookies of an answer as a browser would send them back. */
export const cookiesOf = (answer: Answer): string =>
  (answer.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";", 1)[0] ?? "").join("; ");

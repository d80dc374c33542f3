import { type Route, type RouteId, routeIds, routes } from "@codehub/contract";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { checkPassword } from "./accounts/accounts.ts";
import { authenticate, credentialOf } from "./accounts/authenticate.ts";
import { originOf, probeCookie } from "./accounts/session-cookie.ts";
import type { ApiDeps } from "./deps.ts";
import { metricsRefused, sentMetricsToken } from "./health/metrics-token.ts";
import { ApiError } from "./http/api-error.ts";
import { believed } from "./http/believed.ts";
import { answerError } from "./http/error-answers.ts";
import { type Call, type Handler, type Handlers, JsonText, type Principal } from "./http/handler.ts";
import { methodsAt, methodsOf } from "./http/methods.ts";
import { guardRead, guardUnsafe, hostMatches } from "./http/origin-guard.ts";
import { commonHeaders, DATA_POLICY, pagePolicy } from "./http/security-headers.ts";
import { encodingFor, loadStaticFiles, type StaticFile } from "./http/static-files.ts";
import { noteJourney, traceRequest } from "./http/traced.ts";
import { checksOf } from "./http/validation.ts";
import { archiveHandlers } from "./routes/archives.ts";
import { auditHandlers } from "./routes/audit.ts";
import { authHandlers } from "./routes/auth.ts";
import { keyHandlers } from "./routes/keys.ts";
import { portHandlers } from "./routes/ports.ts";
import { repositoryHandlers } from "./routes/repositories.ts";
import { setupHandlers } from "./routes/setup.ts";
import { spaceHandlers } from "./routes/space.ts";
import { systemHandlers } from "./routes/system.ts";
import { usageHandlers } from "./routes/usage-report.ts";
import { userHandlers } from "./routes/users.ts";
import { maySee, workspaceHandlers } from "./routes/workspaces.ts";

const BODY_LIMIT = 262_144;
const STREAMS: ReadonlySet<string> = new Set(
  Object.values<Route>(routes).flatMap((route) => (route.streams === true ? [route.path] : [])),
);

/** What is checked is checked by the contract's own schemas (validation.ts). Left to itself, Fastify would load a library for its own. */
const NO_SCHEMAS = { buildValidator: unused, buildSerializer: unused };

function unused(): never {
  throw new Error("A route has a schema of Fastify's: checks are made by validation.ts.");
}

/**
 * The HTTP API and the dashboard's files. Routes come from the contract's table and from nowhere else: one that is
 * not in the table, or has no audience in it, is not served.
 */
export async function buildApi(deps: ApiDeps): Promise<FastifyInstance> {
  const { settings } = deps;
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    trustProxy: believed(settings),
    genReqId: () => deps.ids.uuid(),
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 64 },
    frameworkErrors: (error, request, reply) => void answerError(deps, error, request, reply),
    schemaController: { compilersFactory: NO_SCHEMAS },
  });
  readOnlyJson(app);
  addHooks(app, deps);
  app.setErrorHandler((error, request, reply) => answerError(deps, error, request, reply));
  const handlers: Handlers = {
    ...authHandlers(deps),
    ...userHandlers(deps),
    ...keyHandlers(deps),
    ...workspaceHandlers(deps),
    ...setupHandlers(deps),
    ...portHandlers(deps),
    ...spaceHandlers(deps),
    ...archiveHandlers(deps),
    ...repositoryHandlers(deps),
    ...systemHandlers(deps),
    ...auditHandlers(deps),
    ...usageHandlers(deps),
  };
  for (const id of routeIds) register(app, deps, id, handlers[id] as Handler<RouteId>);
  await serveDashboard(app, deps);
  await app.ready();
  return app;
}

/** JSON is the only body there is; an empty one is an empty object, and keys that poison prototypes are refused. */
function readOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, {});
    else void parse(request, body as string, done);
  });
}

function addHooks(app: FastifyInstance, deps: ApiDeps): void {
  const { settings, logger, metrics } = deps;
  const headers = commonHeaders(settings.baseUrl.protocol === "https:");
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ ...headers, "x-request-id": request.id, "content-security-policy": DATA_POLICY });
    reply.header("cache-control", "no-store");
    // Probes of an orchestrator know addresses, not names; what these answer is for everybody.
    const probe = /^\/(healthz|readyz|metrics)$/.test(request.url);
    if (!probe && !hostMatches(request.headers.host, settings.baseUrl)) throw new ApiError("MISDIRECTED_HOST");
    // Before the body is looked at: with the wrong method, nothing about it matters.
    if (request.is404) refuseOtherMethod(request, methodsAt(pathOf(request)));
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "(files)";
    const { method } = request;
    metrics.requests.inc({ route, method, status: String(reply.statusCode) });
    if (!STREAMS.has(route)) metrics.duration.observe({ route, method }, reply.elapsedTime / 1000);
    traceRequest(deps, request, reply);
    // The route and not the address: a query may carry what nobody should read in a log.
    const fields = {
      requestId: request.id,
      route,
      method,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    logger.info({ ...fields, userId: principals.get(request)?.account.id ?? null }, "request answered");
  });
}

const pathOf = (request: FastifyRequest): string => request.url.split("?")[0] ?? "/";

function refuseOtherMethod({ method }: FastifyRequest, allowed: readonly string[] | null): void {
  if (allowed === null || allowed.includes(method)) return;
  throw new ApiError("METHOD_NOT_ALLOWED", { method }, { allow: allowed.join(", ") });
}

/** Who made a request, for its log line. */
const principals = new WeakMap<FastifyRequest, Principal>();

/** The types ask for an audience already; this asks again, because a mistake here would open a door. */
const AUDIENCES: ReadonlySet<string> = new Set(["public", "user", "owner", "owner_or_admin", "admin"]);

function register(app: FastifyInstance, deps: ApiDeps, id: RouteId, handler: Handler<RouteId>): void {
  const route: Route = routes[id];
  if (!AUDIENCES.has(route.audience)) throw new Error(`The route ${id} does not say who may call it.`);
  const checks = checksOf(route);
  const { origin } = deps.settings.baseUrl;
  const secure = deps.settings.baseUrl.protocol === "https:";
  const unsafe = route.method !== "GET";
  app.route({
    method: methodsOf(route),
    url: route.path,
    // Before the body is read: a stranger's megabytes are not worth reading.
    onRequest: async (request, reply) => {
      if (id === "getMetrics" && sentMetricsToken(request.headers, deps.settings.metricsToken)) return;
      const credential = credentialOf(request.headers, secure);
      if (unsafe) guardUnsafe(request.headers, origin, credential.kind === "token");
      else if (route.audience !== "public") guardRead(request.headers, origin);
      if (route.audience === "public") return;
      const principal = await authenticate(deps, credential);
      if (principal === null) {
        if (id === "getSession" && !secure) reply.header("set-cookie", probeCookie());
        if (id === "getMetrics") throw metricsRefused();
        throw new ApiError("UNAUTHENTICATED");
      }
      principals.set(request, principal);
      if (principal.account.mustChangePassword && route.whilePasswordDue !== true)
        throw new ApiError("PASSWORD_CHANGE_REQUIRED");
      if (principal.via === "token" && route.sessionOnly === true) throw new ApiError("SESSION_REQUIRED");
      if (route.audience === "admin" && principal.account.role !== "admin")
        throw new ApiError("FORBIDDEN", { problem: "this is for administrators" });
    },
    handler: async (request, reply) => {
      const principal = principals.get(request) ?? null;
      const params = checks.params?.(request.params);
      const workspace = await authorized(deps, route, params, principal);
      if (route.reconfirm === true) await reconfirmed(deps, request, principal);
      const query = checks.query?.(request.query);
      const body = checks.body?.(request.body);
      const call = { params, query, body, principal, ...workspace, request, reply } as unknown as Call<RouteId>;
      const answer = await handler(call);
      if (unsafe) noteJourney(request, workspace.row?.desiredVersion ?? 0, answer);
      if (reply.sent || route.success.media !== undefined) return reply;
      if (reply.statusCode === 200) reply.code(route.success.status);
      if (answer instanceof JsonText) return reply.type("application/json; charset=utf-8").send(answer.text);
      return reply.send(answer);
    },
  });
}

/** A script of a workspace that shares our origin has the session, but not the password. Tokens are not in browsers. */
async function reconfirmed(deps: ApiDeps, request: FastifyRequest, principal: Principal | null): Promise<void> {
  if (!deps.settings.unsafeSingleOrigin || principal === null || principal.via === "token") return;
  const given = request.headers["x-codehub-password"];
  if (typeof given !== "string") throw new ApiError("PASSWORD_REQUIRED");
  const password = decodeOr(given);
  await checkPassword(deps, {
    username: principal.account.username,
    password,
    ...originOf(request, deps.settings.baseUrl),
  });
}

/** Headers are ASCII and passwords need not be, so it travels percent-encoded. */
function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** For routes about one workspace: to whoever may not see it, it does not exist. */
async function authorized(deps: ApiDeps, route: Route, params: unknown, principal: Principal | null) {
  if (route.audience !== "owner" && route.audience !== "owner_or_admin") return {};
  const { id } = params as { id: string };
  const view = route.method === "GET" ? await deps.views.get(id) : undefined;
  const row = view === undefined ? await deps.workspaces.read(id) : (view?.row ?? null);
  if (row === null || principal === null || !maySee(row, principal))
    throw new ApiError("NOT_FOUND", { what: "workspace" });
  if (route.audience === "owner" && row.ownerId !== principal.account.id)
    throw new ApiError("FORBIDDEN", { problem: "only the owner may do this" });
  return { row, view };
}

/** Files by exact name; any other address that a person may open is the dashboard's own to understand. */
async function serveDashboard(app: FastifyInstance, deps: ApiDeps): Promise<void> {
  const { dashboardDirectory, workspaceBaseUrl } = deps.settings;
  const files = dashboardDirectory === null ? new Map<string, StaticFile>() : await loadStaticFiles(dashboardDirectory);
  const policy = pagePolicy(URL.parse(workspaceBaseUrl.replace("{id}", "probe"))?.origin ?? null);
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const page = !path.startsWith("/api/") && !path.startsWith("/assets/") ? files.get("/index.html") : undefined;
    const file = files.get(path) ?? page;
    if (file === undefined) throw new ApiError("ROUTE_NOT_FOUND");
    refuseOtherMethod(request, ["GET", "HEAD"]);
    return sendFile(file, policy, request, reply);
  });
}

function sendFile(file: StaticFile, policy: string, request: FastifyRequest, reply: FastifyReply) {
  const { body, encoding } = encodingFor(file, request.headers["accept-encoding"]);
  reply.header("content-type", file.type).header("content-security-policy", policy).header("etag", file.etag);
  reply.header("vary", "accept-encoding");
  reply.header("cache-control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  if (encoding !== null) reply.header("content-encoding", encoding);
  if (file.forEverybody) reply.header("cross-origin-resource-policy", "cross-origin");
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  return reply.code(200).send(request.method === "HEAD" ? "" : body);
}

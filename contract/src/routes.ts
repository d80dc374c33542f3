import { type TSchema, Type } from "typebox";
import * as account from "./account.ts";
import * as archive from "./archive.ts";
import { Explain } from "./explain.ts";
import { AuditQuery, HistoryList, HistoryQuery } from "./history.ts";
import { closed, Uuid } from "./schema.ts";
import * as system from "./system.ts";
import type { ErrorCode } from "./words/errors.ts";
import * as workspace from "./workspace.ts";

/**
 * Who may call a route. `owner` and `owner_or_admin` concern the workspace named in the path; to everybody else the
 * workspace does not exist (404). A route without an audience cannot be written down here, and what is not written
 * down here is not served.
 */
export type Audience = "public" | "user" | "owner" | "owner_or_admin" | "admin";
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly audience: Audience;
  readonly tag: "auth" | "users" | "workspaces" | "archives" | "system" | "health";
  readonly summary: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The one successful answer: its status and schema, or the media type of a stream; null is an empty body. */
  readonly success: { readonly status: number; readonly schema: TSchema | null; readonly media?: string };
  /** The body is sent piece by piece, for as long as there is something to send. */
  readonly streams?: true;
  /** Other answers with a body of their own, by status. */
  readonly also?: Readonly<Record<number, TSchema>>;
  /**
   * Where workspaces share the dashboard's origin, a workspace's script could do what its visitor may do. These routes
   * then need the password again, which no script has.
   */
  readonly reconfirm?: true;
  /** Served also to somebody who must change the password first; every other route that knows its caller is not. */
  readonly whilePasswordDue?: true;
  /** What an API token may not do, because it would outlive the token's end: new tokens and passwords. */
  readonly sessionOnly?: true;
  /** Errors beyond those every route can give (bad request, no session, not found, overload). */
  readonly errors: readonly ErrorCode[];
}

const ById = closed({ id: Uuid });
const ByArchive = closed({ id: Uuid, op_id: Uuid });
const json = <S extends TSchema, N extends number = 200>(schema: S, status: N = 200 as N) => ({ status, schema });
const empty = { status: 204, schema: null } as const;
const ws = "/api/v1/workspaces";

export const routes = {
  login: {
    method: "POST",
    path: "/api/v1/auth/login",
    audience: "public",
    tag: "auth",
    summary: "Sign in; sets the session cookie. A session that was there before is ended.",
    body: account.Login,
    success: json(account.Session),
    errors: ["INVALID_CREDENTIALS", "TOO_MANY_ATTEMPTS", "OVERLOADED"],
  },
  logout: {
    method: "POST",
    path: "/api/v1/auth/logout",
    audience: "user",
    tag: "auth",
    whilePasswordDue: true,
    summary: "End this session, or every session of this user.",
    body: account.Logout,
    success: empty,
    errors: [],
  },
  changePassword: {
    method: "POST",
    path: "/api/v1/auth/password",
    audience: "user",
    tag: "auth",
    whilePasswordDue: true,
    sessionOnly: true,
    summary:
      "Change the own password; every other session ends and this one gets a new cookie. API tokens end too, unless " +
      "keep_tokens is true.",
    body: account.ChangePassword,
    success: json(account.Session),
    errors: ["INVALID_CREDENTIALS", "TOO_MANY_ATTEMPTS", "OVERLOADED"],
  },
  getSession: {
    method: "GET",
    path: "/api/v1/auth/session",
    audience: "user",
    tag: "auth",
    whilePasswordDue: true,
    summary: "Who is signed in, and what the deployment is like.",
    success: json(account.Session),
    errors: [],
  },
  listTokens: {
    method: "GET",
    path: "/api/v1/auth/tokens",
    audience: "user",
    tag: "auth",
    summary: "The API tokens of this user.",
    success: json(account.TokenList),
    errors: [],
  },
  createToken: {
    method: "POST",
    path: "/api/v1/auth/tokens",
    audience: "user",
    tag: "auth",
    reconfirm: true,
    sessionOnly: true,
    summary: "Make an API token; the secret is shown once.",
    body: account.CreateToken,
    success: json(account.NewToken, 201),
    errors: ["TOO_MANY_TOKENS"],
  },
  deleteToken: {
    method: "DELETE",
    path: "/api/v1/auth/tokens/:id",
    audience: "user",
    tag: "auth",
    summary: "Revoke an API token.",
    params: ById,
    success: empty,
    errors: [],
  },
  listUsers: {
    method: "GET",
    path: "/api/v1/users",
    audience: "admin",
    tag: "users",
    summary: "All users.",
    success: json(account.UserList),
    errors: [],
  },
  createUser: {
    method: "POST",
    path: "/api/v1/users",
    audience: "admin",
    tag: "users",
    reconfirm: true,
    summary: "Create a user; without a password one is generated and shown once.",
    body: account.CreateUser,
    success: json(account.UserWithPassword, 201),
    errors: ["USERNAME_TAKEN", "OVERLOADED"],
  },
  updateUser: {
    method: "PATCH",
    path: "/api/v1/users/:id",
    audience: "admin",
    tag: "users",
    reconfirm: true,
    summary: "Disable or enable a user, or change the role. Disabling ends sessions and tokens and asks STANDBY.",
    params: ById,
    body: account.UpdateUser,
    success: json(account.User),
    errors: ["LAST_ADMIN"],
  },
  resetUserPassword: {
    method: "POST",
    path: "/api/v1/users/:id/password",
    audience: "admin",
    tag: "users",
    reconfirm: true,
    sessionOnly: true,
    summary: "Set a new password; without one it is generated and shown once. Sessions and tokens of the user end.",
    params: ById,
    body: account.ResetPassword,
    success: json(account.UserWithPassword),
    errors: ["OVERLOADED"],
  },
  listWorkspaces: {
    method: "GET",
    path: ws,
    audience: "user",
    tag: "workspaces",
    summary: "Workspaces, page by page; the own ones unless an admin asks for others. All of each with view=full.",
    query: workspace.WorkspaceListQuery,
    success: json(Type.Union([workspace.WorkspaceList, workspace.FullWorkspaceList])),
    errors: ["FORBIDDEN"],
  },
  createWorkspace: {
    method: "POST",
    path: ws,
    audience: "user",
    tag: "workspaces",
    summary: "Create a workspace, by default to be started at once.",
    body: workspace.CreateWorkspace,
    success: json(workspace.Workspace, 201),
    errors: ["RUNNING_LIMIT_EXCEEDED", "IMAGE_NOT_ALLOWED", "PROCESS_RUNTIME_SINGLE_USER"],
  },
  getWorkspace: {
    method: "GET",
    path: `${ws}/:id`,
    audience: "owner_or_admin",
    tag: "workspaces",
    summary: "One workspace, also when it is in the trash.",
    params: ById,
    success: json(workspace.Workspace),
    errors: [],
  },
  updateWorkspace: {
    method: "PATCH",
    path: `${ws}/:id`,
    audience: "owner_or_admin",
    tag: "workspaces",
    summary:
      "Change fields or request a level. An admin may only put somebody else's workspace to STANDBY or ARCHIVED.",
    params: ById,
    body: workspace.UpdateWorkspace,
    success: json(workspace.Workspace),
    errors: [
      "FORBIDDEN",
      "WORKSPACE_DELETED",
      "RUNNING_LIMIT_EXCEEDED",
      "IMAGE_NOT_ALLOWED",
      "PROCESS_RUNTIME_SINGLE_USER",
    ],
  },
  deleteWorkspace: {
    method: "DELETE",
    path: `${ws}/:id`,
    audience: "owner_or_admin",
    tag: "workspaces",
    reconfirm: true,
    summary: "Move to the trash, or with purge delete for good.",
    params: ById,
    query: workspace.DeleteWorkspaceQuery,
    success: json(workspace.Workspace),
    errors: ["CONFIRMATION_MISMATCH"],
  },
  recoverWorkspace: {
    method: "POST",
    path: `${ws}/:id/recover`,
    audience: "owner_or_admin",
    tag: "workspaces",
    reconfirm: true,
    summary: "Clear an error and plan again.",
    params: ById,
    body: workspace.RecoverWorkspace,
    success: json(workspace.Workspace),
    errors: [
      "NOT_IN_ERROR",
      "WORKSPACE_DELETED",
      "RECOVERY_CHOICE_REQUIRED",
      "CONFIRMATION_MISMATCH",
      "ARCHIVE_NOT_USABLE",
      "REQUEST_PENDING",
    ],
  },
  undeleteWorkspace: {
    method: "POST",
    path: `${ws}/:id/undelete`,
    audience: "owner",
    tag: "workspaces",
    summary: "Restore a workspace from the trash; it is requested to be ARCHIVED.",
    params: ById,
    success: json(workspace.Workspace),
    errors: ["NOT_DELETED", "DELETED_FOR_GOOD", "UNDELETE_EXPIRED"],
  },
  resetWorkspace: {
    method: "POST",
    path: `${ws}/:id/reset`,
    audience: "owner",
    tag: "workspaces",
    reconfirm: true,
    summary: "Empty the home; its last archive goes to the trash.",
    params: ById,
    body: workspace.ResetWorkspace,
    success: json(workspace.Workspace),
    errors: ["CONFIRMATION_MISMATCH", "WORKSPACE_DELETED"],
  },
  restartWorkspace: {
    method: "POST",
    path: `${ws}/:id/restart`,
    audience: "owner",
    tag: "workspaces",
    summary: "Stop and start again, for example to take a changed image.",
    params: ById,
    success: json(workspace.Workspace),
    errors: ["NOT_RUNNING", "WORKSPACE_DELETED", "REQUEST_PENDING"],
  },
  declareNodeOff: {
    method: "POST",
    path: `${ws}/:id/node-off`,
    audience: "admin",
    tag: "workspaces",
    reconfirm: true,
    summary:
      "Say that the silent node with this workspace's container is off for good: that one container is given up, once. " +
      "Were the node still running, two containers could write to one home.",
    params: ById,
    body: workspace.DeclareNodeOff,
    success: json(workspace.Workspace),
    errors: ["NODE_NOT_SILENT", "NODE_MISMATCH", "REQUEST_PENDING"],
  },
  growHome: {
    method: "POST",
    path: `${ws}/:id/home-size`,
    audience: "owner_or_admin",
    tag: "workspaces",
    summary:
      "Make the home larger, where homes have sizes. An owner is bound by limits.home_sizes, an administrator is not.",
    params: ById,
    body: workspace.GrowHome,
    success: json(workspace.Workspace),
    errors: ["HOME_SIZE_FIXED", "HOME_SIZE_NOT_LARGER", "HOME_SIZE_LIMIT", "WORKSPACE_DELETED", "REQUEST_PENDING"],
  },
  explainWorkspace: {
    method: "GET",
    path: `${ws}/:id/explain`,
    audience: "owner_or_admin",
    tag: "workspaces",
    summary: "Why this phase, what happens next and when, what blocks it, how safe the home is.",
    params: ById,
    success: json(Explain),
    errors: [],
  },
  listHistory: {
    method: "GET",
    path: `${ws}/:id/history`,
    audience: "owner_or_admin",
    tag: "workspaces",
    summary: "What happened to a workspace, newest first.",
    params: ById,
    query: HistoryQuery,
    success: json(HistoryList),
    errors: [],
  },
  getLogs: {
    method: "GET",
    path: `${ws}/:id/logs`,
    audience: "owner",
    tag: "workspaces",
    summary: "The last lines the container wrote.",
    params: ById,
    success: json(workspace.WorkspaceLogs),
    errors: ["ENGINE_UNAVAILABLE"],
  },
  listArchives: {
    method: "GET",
    path: `${ws}/:id/archives`,
    audience: "owner_or_admin",
    tag: "archives",
    summary: "Every archive of the home that still exists.",
    params: ById,
    success: json(archive.ArchiveList),
    errors: [],
  },
  restoreArchive: {
    method: "POST",
    path: `${ws}/:id/archives/:op_id/restore`,
    audience: "owner",
    tag: "archives",
    reconfirm: true,
    summary: "Make an archive the home; possible in PENDING and ARCHIVED while nothing runs.",
    params: ByArchive,
    success: json(workspace.Workspace),
    errors: ["WORKSPACE_DELETED", "OPERATION_RUNNING", "RESTORE_NOT_POSSIBLE", "REQUEST_PENDING"],
  },
  verifyArchive: {
    method: "POST",
    path: `${ws}/:id/archives/:op_id/verify`,
    audience: "owner",
    tag: "archives",
    summary:
      "Ask for a restore test: the whole archive is read back and compared with its manifest. The outcome appears in " +
      "the history (restore_test_passed or restore_test_failed) and moves verified_at.",
    params: ByArchive,
    success: json(workspace.Workspace, 202),
    errors: ["WORKSPACE_DELETED", "REQUEST_PENDING"],
  },
  downloadArchive: {
    method: "GET",
    path: `${ws}/:id/archives/:op_id/download`,
    audience: "owner",
    tag: "archives",
    summary: "The archive as a file (tar, zstd).",
    params: ByArchive,
    success: { status: 200, schema: null, media: "application/zstd" },
    streams: true,
    errors: ["ARCHIVE_NOT_USABLE", "STORE_UNAVAILABLE"],
  },
  streamEvents: {
    method: "GET",
    path: "/api/v1/events",
    audience: "user",
    tag: "workspaces",
    summary: "Live events of the own workspaces (server-sent events).",
    success: { status: 200, schema: null, media: "text/event-stream" },
    streams: true,
    errors: ["TOO_MANY_STREAMS"],
  },
  getSystem: {
    method: "GET",
    path: "/api/v1/system",
    audience: "admin",
    tag: "system",
    summary: "The fleet, its history, the leader, the health of every part, the limits.",
    success: json(system.System),
    errors: [],
  },
  getExamination: {
    method: "GET",
    path: "/api/v1/system/doctor",
    audience: "admin",
    tag: "system",
    summary: "What codehub doctor finds, as seen by this server. At most every 30 seconds anew.",
    success: json(system.Examination),
    errors: [],
  },
  getAttention: {
    method: "GET",
    path: "/api/v1/system/attention",
    audience: "admin",
    tag: "system",
    summary: "What a person has to look at: the same that notices tell by webhook or mail.",
    success: json(system.Attention),
    errors: [],
  },
  resumeGc: {
    method: "POST",
    path: "/api/v1/system/gc/resume",
    audience: "admin",
    tag: "system",
    summary: "End the quarantine of the garbage collector after a database was restored from a backup.",
    success: empty,
    errors: [],
  },
  listAudit: {
    method: "GET",
    path: "/api/v1/audit",
    audience: "admin",
    tag: "system",
    summary: "The audit log, newest first.",
    query: AuditQuery,
    success: json(HistoryList),
    errors: [],
  },
  getOpenApi: {
    method: "GET",
    path: "/api/v1/openapi.json",
    audience: "public",
    tag: "system",
    summary: "This description.",
    success: json(Type.Record(Type.String(), Type.Unknown())),
    errors: [],
  },
  getReference: {
    method: "GET",
    path: "/api/v1/reference",
    audience: "public",
    tag: "system",
    summary: "This description as a page to read; works offline.",
    success: { status: 200, schema: null, media: "text/html" },
    errors: [],
  },
  getHealth: {
    method: "GET",
    path: "/healthz",
    audience: "public",
    tag: "health",
    summary: "The process answers.",
    success: json(system.Liveness),
    errors: [],
  },
  getReadiness: {
    method: "GET",
    path: "/readyz",
    audience: "public",
    tag: "health",
    summary: "The process can do its work; 503 with the reasons when it cannot.",
    success: json(system.Readiness),
    also: { 503: system.Readiness },
    errors: [],
  },
  getMetrics: {
    method: "GET",
    path: "/metrics",
    audience: "admin",
    tag: "health",
    summary: "Prometheus metrics, for administrators and for whoever sends METRICS_TOKEN as a bearer token.",
    success: { status: 200, schema: null, media: "text/plain" },
    errors: ["METRICS_TOKEN_REQUIRED"],
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteId = keyof Routes;
export const routeIds = Object.keys(routes) as RouteId[];

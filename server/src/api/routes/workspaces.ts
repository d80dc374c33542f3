import type { UpdateWorkspace } from "@codehub/contract";
import { presentEvent } from "#api/accounts/present-account.ts";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError, invalidField } from "#api/http/api-error.ts";
import { type HandlersOf, isAdmin, JsonText, type Principal } from "#api/http/handler.ts";
import { listFilter, nextCursor } from "#api/http/list-query.ts";
import { granted, shown } from "#api/workspaces/grant.ts";
import { presentExplain } from "#api/workspaces/present-explain.ts";
import { presentUsage, USAGE_STEPS } from "#api/workspaces/present-usage.ts";
import { SummaryTexts } from "#api/workspaces/summary-texts.ts";
import type { Edit } from "#core/requests/requests.ts";
import type { Ms, RequestAction, Workspace } from "#core/rows/workspace.ts";
import { isMarkerLine } from "#core/setup/marker-line.ts";
import { EVERY_EVENT } from "#ports/views.ts";
import { readRepository } from "./repositories.ts";

type WorkspaceRoutes =
  | "listWorkspaces"
  | "listOwners"
  | "createWorkspace"
  | "getWorkspace"
  | "updateWorkspace"
  | "deleteWorkspace"
  | "recoverWorkspace"
  | "undeleteWorkspace"
  | "resetWorkspace"
  | "restartWorkspace"
  | "changeAddress"
  | "declareNodeOff"
  | "growHome"
  | "explainWorkspace"
  | "listHistory"
  | "getUsage"
  | "getLogs";

const LOG_LINES = 500;
/** Of these some are for the program and not for people. */
const READ_LINES = 2_000;
const MAX_KEEP_AWAKE_MS = 30 * 24 * 3_600_000;
/** Kinds of history lines that changed the desired state. */
const REQUEST_KINDS = ["created", "wish", "wake", "idle", "taken_away", "reset", "delete", "undelete"];

export function workspaceHandlers(deps: ApiDeps): HandlersOf<WorkspaceRoutes> {
  const { settings, views, requests, clock } = deps;
  const summaries = new SummaryTexts({ views, clock, policy: settings });

  return {
    listWorkspaces: async ({ query, principal }) => {
      const filter = listFilter(query, principal);
      if (query.view !== "full") return new JsonText(await summaries.page(filter, principal.account.username));
      const { items, next, total } = await views.list(filter);
      const shownItems = items.map((view) => shown(deps, view, principal));
      return { items: shownItems, next_cursor: nextCursor(next, filter), total };
    },

    listOwners: async ({ query, principal }) => {
      const items = [...(await views.owners(listFilter(query, principal)))];
      return { items, total: items.length };
    },

    createWorkspace: async ({ body, principal, reply, request }) => {
      const draft = {
        id: deps.ids.uuid(),
        ownerId: principal.account.id,
        name: body.name,
        description: body.description ?? null,
        memo: body.memo ?? null,
        imageRef: body.image_ref ?? settings.defaultImage,
        desiredState: body.desired_state ?? "RUNNING",
        standbyTtlSeconds: body.standby_ttl_seconds ?? null,
        archiveTtlSeconds: body.archive_ttl_seconds ?? null,
        source: body.repository === undefined ? null : readRepository(deps, body.repository),
        keysAllowed: body.keys_allowed ?? true,
      };
      const answer = await requests.from(request.ip).create(draft, principal.account.id, body.address);
      const made = await granted(deps, principal, draft.id, answer);
      reply.header("location", `/api/v1/workspaces/${draft.id}`);
      return made;
    },

    getWorkspace: async ({ view, principal }) => shown(deps, view, principal),

    updateWorkspace: async ({ row, body, principal, request }) => {
      if (row.ownerId !== principal.account.id) {
        const onlyStops =
          Object.keys(body).length === 1 && (body.desired_state === "STANDBY" || body.desired_state === "ARCHIVED");
        if (!onlyStops)
          throw new ApiError("FORBIDDEN", { problem: "an administrator may only put another's workspace to sleep" });
      }
      const answer = await requests.from(request.ip).edit(row, editOf(body, clock.nowMs()), principal.account.id);
      return granted(deps, principal, row.id, answer);
    },

    deleteWorkspace: async ({ row, query, principal, request }) => {
      const purge = query.purge === true ? { confirmation: query.confirm ?? "" } : null;
      return granted(deps, principal, row.id, await requests.from(request.ip).delete(row, purge, principal.account.id));
    },

    recoverWorkspace: async ({ row, body, principal, request }) => {
      const action = await recoverAction(deps, row, body);
      const answer = await requests.from(request.ip).recover(row, action, body.confirm ?? null, principal.account.id);
      return granted(deps, principal, row.id, answer);
    },

    undeleteWorkspace: async ({ row, principal, request }) =>
      granted(deps, principal, row.id, await requests.from(request.ip).undelete(row, principal.account.id)),

    resetWorkspace: async ({ row, body, principal, request }) =>
      granted(deps, principal, row.id, await requests.from(request.ip).reset(row, body.confirm, principal.account.id)),

    restartWorkspace: async ({ row, principal, request }) => {
      const answer = await requests.from(request.ip).restart(row, principal.account.id);
      return granted(deps, principal, row.id, answer, "NOT_RUNNING");
    },

    changeAddress: async ({ row, body, principal, request }) => {
      const answer = await requests.from(request.ip).address(row, body.address, principal.account.id);
      return granted(deps, principal, row.id, answer);
    },

    declareNodeOff: async ({ params, body, principal, request }) => {
      const row = await deps.workspaces.read(params.id);
      if (row === null) throw new ApiError("NOT_FOUND", { what: "workspace" });
      const answer = await requests.from(request.ip).nodeOff(row, body.confirm, principal.account.id);
      return granted(deps, principal, row.id, answer);
    },

    growHome: async ({ row, body, principal, request }) => {
      const wish = { bytes: body.size_bytes, byAdmin: isAdmin(principal) };
      return granted(deps, principal, row.id, await requests.from(request.ip).grow(row, wish, principal.account.id));
    },

    explainWorkspace: async ({ view }) => {
      const filter = { ...EVERY_EVENT, workspaceId: view.row.id, before: null, skip: 0, limit: 100 };
      const requested = (await views.events(filter)).items.find(({ kind }) => REQUEST_KINDS.includes(kind)) ?? null;
      return presentExplain(view, requested, settings, clock.nowMs());
    },

    listHistory: async ({ row, query }) => {
      const limit = query.limit ?? 100;
      const filter = { ...EVERY_EVENT, workspaceId: row.id, before: query.cursor ?? null, skip: 0, limit };
      const { items, total } = await views.events(filter);
      const last = items.length === limit ? (items.at(-1)?.id ?? null) : null;
      return { items: items.map(presentEvent), next_cursor: last, total };
    },

    getUsage: async ({ row, query }) => {
      const range = query.range ?? "day";
      const { rangeMs, stepMs } = USAGE_STEPS[range];
      const now = clock.nowMs();
      const found = await views.usage(row.id, rangeMs, stepMs);
      return presentUsage(found, { range, from: now - rangeMs, to: now, stepMs, keptMs: settings.usageRetentionMs });
    },

    getLogs: async ({ row }) => {
      const { endpoint } = row;
      if (endpoint === null) return { lines: [], truncated: false };
      try {
        const all = (await deps.logs(endpoint.containerId, READ_LINES))
          .split("\n")
          .filter((line) => !isMarkerLine(line));
        if (all.at(-1) === "") all.pop();
        return { lines: all.slice(-LOG_LINES), truncated: all.length >= LOG_LINES };
      } catch (error) {
        deps.logger.warn({ workspaceId: row.id, error: String(error) }, "logs could not be read");
        throw new ApiError("ENGINE_UNAVAILABLE");
      }
    },
  };
}

/** What the body of a PATCH asks for. */
function editOf(body: UpdateWorkspace, now: Ms): Edit {
  const until = body.keep_awake_until;
  const keepAwakeUntil = until === undefined || until === null ? until : Date.parse(until);
  if (typeof keepAwakeUntil === "number" && !(keepAwakeUntil <= now + MAX_KEEP_AWAKE_MS))
    throw invalidField("keep_awake_until", "must be a time within the next 30 days");
  const columns = {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.memo === undefined ? {} : { memo: body.memo }),
    ...(body.image_ref === undefined ? {} : { imageRef: body.image_ref }),
    ...(body.standby_ttl_seconds === undefined ? {} : { standbyTtlSeconds: body.standby_ttl_seconds }),
    ...(body.archive_ttl_seconds === undefined ? {} : { archiveTtlSeconds: body.archive_ttl_seconds }),
    ...(keepAwakeUntil === undefined ? {} : { keepAwakeUntil }),
    ...(body.keys_allowed === undefined ? {} : { keysAllowed: body.keys_allowed }),
  };
  const fields = Object.keys(body).filter((field) => field !== "desired_state");
  return { level: body.desired_state ?? null, columns, fields };
}

/** The choices exclude each other, and an archive that is chosen must be one of this workspace. */
async function recoverAction(
  deps: ApiDeps,
  row: Workspace,
  body: { restore_archive?: string; use_archive?: string; start_empty?: boolean },
): Promise<RequestAction> {
  const { restore_archive: restore, use_archive: use, start_empty: empty } = body;
  const chosen = [restore, use, empty === true ? true : undefined].filter((choice) => choice !== undefined);
  if (chosen.length > 1) throw invalidField("restore_archive", "excludes use_archive and start_empty");
  if (empty === true) return { kind: "start_empty" };
  const opId = restore ?? use;
  if (opId === undefined) return { kind: "recover" };
  const archives = await deps.views.archives(row.id);
  if (!archives.some((archive) => archive.opId === opId))
    throw new ApiError("ARCHIVE_NOT_USABLE", { problem: "this workspace has no such archive" });
  return restore === undefined ? { kind: "use_archive", opId } : { kind: "restore_archive", opId };
}

/** Whether somebody else's workspace may be seen at all. */
export const maySee = (row: Workspace, principal: Principal): boolean =>
  row.ownerId === principal.account.id || isAdmin(principal);

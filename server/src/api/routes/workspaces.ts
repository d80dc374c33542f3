import { presentEvent } from "#api/accounts/present-account.ts";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError, invalidField } from "#api/http/api-error.ts";
import { type HandlersOf, isAdmin, type Principal } from "#api/http/handler.ts";
import { listFilter, nextCursor } from "#api/http/list-query.ts";
import { editOf } from "#api/workspaces/edit.ts";
import { granted } from "#api/workspaces/grant.ts";
import { presentExplain } from "#api/workspaces/present-explain.ts";
import { presentWorkspace } from "#api/workspaces/present-workspace.ts";
import type { RequestAction, Workspace } from "#core/rows/workspace.ts";
import type { WorkspaceView } from "#ports/views.ts";

type WorkspaceRoutes =
  | "listWorkspaces"
  | "createWorkspace"
  | "getWorkspace"
  | "updateWorkspace"
  | "deleteWorkspace"
  | "recoverWorkspace"
  | "undeleteWorkspace"
  | "resetWorkspace"
  | "restartWorkspace"
  | "explainWorkspace"
  | "listHistory"
  | "getLogs";

const LOG_LINES = 500;
/** Kinds of history lines that changed the desired state. */
const REQUEST_KINDS = ["created", "wish", "wake", "idle", "reset", "delete", "undelete"];

export function workspaceHandlers(deps: ApiDeps): HandlersOf<WorkspaceRoutes> {
  const { settings, views, requests, clock } = deps;
  const policy = { ttl: settings.ttl, trashRetentionMs: settings.trashRetentionMs };
  const show = (view: WorkspaceView, principal: Principal) =>
    presentWorkspace(view, { policy, now: clock.nowMs(), own: view.row.ownerId === principal.account.id });

  return {
    listWorkspaces: async ({ query, principal }) => {
      const filter = listFilter(query, principal);
      const page = await views.list(filter);
      return {
        items: page.items.map((view) => show(view, principal)),
        next_cursor: nextCursor(page.next, filter),
        total: page.total,
      };
    },

    createWorkspace: async ({ body, principal, reply }) => {
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
      };
      const view = await granted(deps, draft.id, await requests.create(draft, principal.account.id));
      reply.header("location", `/api/v1/workspaces/${draft.id}`);
      return show(view, principal);
    },

    getWorkspace: async ({ view, principal }) => show(view, principal),

    updateWorkspace: async ({ row, body, principal }) => {
      if (row.ownerId !== principal.account.id) {
        const onlyStops =
          Object.keys(body).length === 1 && (body.desired_state === "STANDBY" || body.desired_state === "ARCHIVED");
        if (!onlyStops)
          throw new ApiError("FORBIDDEN", { problem: "an administrator may only put another's workspace to sleep" });
      }
      const answer = await requests.edit(row, editOf(body, clock.nowMs()), principal.account.id);
      return show(await granted(deps, row.id, answer), principal);
    },

    deleteWorkspace: async ({ row, query, principal }) => {
      const purge = query.purge === true ? { confirmation: query.confirm ?? "" } : null;
      return show(await granted(deps, row.id, await requests.delete(row, purge, principal.account.id)), principal);
    },

    recoverWorkspace: async ({ row, body, principal }) => {
      const action = await recoverAction(deps, row, body);
      const answer = await requests.recover(row, action, body.confirm ?? null, principal.account.id);
      return show(await granted(deps, row.id, answer), principal);
    },

    undeleteWorkspace: async ({ row, principal }) =>
      show(await granted(deps, row.id, await requests.undelete(row, principal.account.id)), principal),

    resetWorkspace: async ({ row, body, principal }) =>
      show(await granted(deps, row.id, await requests.reset(row, body.confirm, principal.account.id)), principal),

    restartWorkspace: async ({ row, principal }) => {
      const answer = await requests.restart(row, principal.account.id);
      return show(await granted(deps, row.id, answer, "NOT_RUNNING"), principal);
    },

    explainWorkspace: async ({ view }) => {
      const filter = { workspaceId: view.row.id, actorId: null, kind: null, before: null, limit: 100 };
      const requested = (await views.events(filter)).items.find(({ kind }) => REQUEST_KINDS.includes(kind)) ?? null;
      return presentExplain(view, requested, policy, clock.nowMs());
    },

    listHistory: async ({ row, query }) => {
      const limit = query.limit ?? 100;
      const filter = { workspaceId: row.id, actorId: null, kind: null, before: query.cursor ?? null, limit };
      const { items, total } = await views.events(filter);
      const last = items.length === limit ? (items.at(-1)?.id ?? null) : null;
      return { items: items.map(presentEvent), next_cursor: last, total };
    },

    getLogs: async ({ row }) => {
      const { endpoint } = row;
      if (endpoint === null) return { lines: [], truncated: false };
      try {
        const lines = (await deps.logs(endpoint.containerId, LOG_LINES)).split("\n");
        if (lines.at(-1) === "") lines.pop();
        return { lines, truncated: lines.length >= LOG_LINES };
      } catch (error) {
        deps.logger.warn({ workspaceId: row.id, error: String(error) }, "logs could not be read");
        throw new ApiError("ENGINE_UNAVAILABLE");
      }
    },
  };
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

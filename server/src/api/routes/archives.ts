import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { HandlersOf, Principal } from "#api/http/handler.ts";
import { presentArchive, presentWorkspace } from "#api/workspaces/present-workspace.ts";
import { wish } from "#api/workspaces/workspace-wishes.ts";
import type { ArchiveRecord } from "#core/rows/workspace.ts";
import { wishRestoreArchive, wishVerify } from "#core/wishes/wishes.ts";
import type { WorkspaceView } from "#ports/views.ts";

type ArchiveRoutes = "listArchives" | "restoreArchive" | "verifyArchive" | "downloadArchive";

export const archiveHandlers = (deps: ApiDeps): HandlersOf<ArchiveRoutes> => {
  const { settings, views, clock } = deps;
  const policy = { ttl: settings.ttl, trashRetentionMs: settings.trashRetentionMs };
  const show = (view: WorkspaceView, principal: Principal) =>
    presentWorkspace(view, { policy, now: clock.nowMs(), own: view.row.ownerId === principal.account.id });
  /** Keys come from the database only: what the caller sends is compared, never used as a path. */
  const archiveOf = async (view: WorkspaceView, opId: string): Promise<ArchiveRecord> => {
    const archive = (await views.archives(view.row.id)).find((candidate) => candidate.opId === opId);
    if (archive === undefined) throw new ApiError("NOT_FOUND", { what: "archive" });
    return archive;
  };

  return {
    listArchives: async ({ view }) => ({
      items: (await views.archives(view.row.id)).map((archive) => presentArchive(archive, view.row)),
    }),

    restoreArchive: async ({ view, params, principal }) => {
      const { opId } = await archiveOf(view, params.op_id);
      return show(await wish(deps, view, (input) => wishRestoreArchive(input, opId, principal.account.id)), principal);
    },

    verifyArchive: async ({ view, params, principal }) => {
      const { opId } = await archiveOf(view, params.op_id);
      return show(await wish(deps, view, (input) => wishVerify(input, opId, principal.account.id)), principal);
    },

    downloadArchive: async ({ view, params, reply }) => {
      const archive = await archiveOf(view, params.op_id);
      const abort = new AbortController();
      // The response closes when it was sent or when its reader went away; only then is there something to stop.
      reply.raw.once("close", () => abort.abort());
      let object: Awaited<ReturnType<typeof deps.archives.get>>;
      try {
        object = await deps.archives.get(archive.key, abort.signal);
      } catch (error) {
        deps.logger.warn({ workspaceId: view.row.id, opId: archive.opId, error: String(error) }, "download failed");
        throw new ApiError("STORE_UNAVAILABLE");
      }
      // The home is whatever its owner put there: it is a file to be saved and never a page of this origin.
      reply
        .header("content-type", "application/zstd")
        .header("content-length", String(object.sizeBytes))
        .header("content-disposition", `attachment; filename="home-${view.row.id}-${archive.opId.slice(0, 8)}.tar.zst"`)
        .header("content-security-policy", "default-src 'none'; sandbox")
        .header("cache-control", "no-store");
      await reply.send(object.body);
      return undefined;
    },
  };
};

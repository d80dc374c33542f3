import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { HandlersOf } from "#api/http/handler.ts";
import { granted } from "#api/workspaces/grant.ts";
import { presentArchive } from "#api/workspaces/present-workspace.ts";
import type { ArchiveRecord, Workspace } from "#core/rows/workspace.ts";

type ArchiveRoutes = "listArchives" | "restoreArchive" | "verifyArchive" | "downloadArchive";

export function archiveHandlers(deps: ApiDeps): HandlersOf<ArchiveRoutes> {
  const { views, requests } = deps;
  /** Keys come from the database only: what the caller sends is compared, never used as a path. */
  const archiveOf = async (row: Workspace, opId: string): Promise<ArchiveRecord> => {
    const archive = (await views.archives(row.id)).find((candidate) => candidate.opId === opId);
    if (archive === undefined) throw new ApiError("NOT_FOUND", { what: "archive" });
    return archive;
  };

  return {
    listArchives: async ({ row }) => ({
      items: (await views.archives(row.id)).map((archive) => presentArchive(archive, row)),
    }),

    restoreArchive: async ({ row, params, principal, request }) => {
      const { opId } = await archiveOf(row, params.op_id);
      return granted(
        deps,
        principal,
        row.id,
        await requests.from(request.ip).restoreArchive(row, opId, principal.account.id),
      );
    },

    verifyArchive: async ({ row, params, principal, request }) => {
      const { opId } = await archiveOf(row, params.op_id);
      return granted(
        deps,
        principal,
        row.id,
        await requests.from(request.ip).verifyArchive(row, opId, principal.account.id),
      );
    },

    downloadArchive: async ({ row, params, reply }) => {
      const archive = await archiveOf(row, params.op_id);
      const abort = new AbortController();
      // The response closes when it was sent or when its reader went away; only then is there something to stop.
      reply.raw.once("close", () => abort.abort());
      let object: Awaited<ReturnType<typeof deps.archives.get>>;
      try {
        object = await deps.archives.get(archive.key, abort.signal);
      } catch (error) {
        deps.logger.warn({ workspaceId: row.id, opId: archive.opId, error: String(error) }, "download failed");
        throw new ApiError("STORE_UNAVAILABLE");
      }
      // The home is whatever its owner put there: it is a file to be saved and never a page of this origin.
      reply
        .header("content-type", "application/zstd")
        .header("content-length", String(object.sizeBytes))
        .header("content-disposition", `attachment; filename="home-${row.id}-${archive.opId.slice(0, 8)}.tar.zst"`)
        .header("content-security-policy", "default-src 'none'; sandbox")
        .header("cache-control", "no-store");
      await reply.send(object.body);
      return undefined;
    },
  };
}

import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { HandlersOf } from "#api/http/handler.ts";
import { presentEmptied, presentLook, UNSEEN } from "#api/workspaces/present-space.ts";
import { Turns } from "#api/workspaces/turns.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { CACHE_FOLDERS, foldersOf } from "#core/space/caches.ts";
import { freedBytes } from "#core/space/home-look.ts";

/** Where the room in a home went, and getting some of it back: for its owner, while it runs. */
export function spaceHandlers(deps: ApiDeps): HandlersOf<"getHomeSpace" | "emptyCache"> {
  const { home, clock, logger } = deps;
  const turns = new Turns(clock);

  const asked = async <T>({ id }: Workspace, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      logger.warn({ workspaceId: id, error: String(error) }, "a home could not be looked into");
      throw new ApiError("ENGINE_UNAVAILABLE");
    }
  };

  return {
    getHomeSpace: async ({ row }) => {
      const { lookIntoHome } = home;
      const { id, endpoint } = row;
      if (lookIntoHome === null) return { ...UNSEEN, state: "not_here" };
      if (endpoint === null) return { ...UNSEEN, state: "not_running" };
      const look = () => lookIntoHome.call(home, endpoint.containerId, CACHE_FOLDERS);
      return presentLook(await turns.take(id, () => asked(row, look)));
    },

    emptyCache: async ({ row, params, principal, request }) => {
      const { emptyInHome } = home;
      const { id, endpoint } = row;
      const { cache } = params;
      if (emptyInHome === null) throw new ApiError("HOME_OUT_OF_REACH");
      if (endpoint === null) throw new ApiError("NOT_RUNNING");
      const by = { userId: principal.account.id, address: request.ip };
      const tell = (whole: boolean, freed: number | null) =>
        deps.tell(row, by, "cache_emptied", whole ? "cache_emptied" : "in_part", { cache, freed_bytes: freed });
      const empty = () => emptyInHome.call(home, endpoint.containerId, foldersOf(cache));
      return await turns.take(id, async () => {
        const emptied = await asked(row, empty).catch(async (error: unknown) => {
          // Some of it may be gone.
          await tell(false, null);
          throw error;
        });
        await tell(emptied.whole, freedBytes(emptied));
        return presentEmptied(emptied);
      });
    },
  };
}

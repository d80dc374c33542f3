import type { ApiDeps } from "#api/deps.ts";
import type { HandlersOf } from "#api/http/handler.ts";
import { presentPorts } from "#api/workspaces/present-ports.ts";
import { siteUrl } from "#api/workspaces/site-url.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { ListeningPort } from "#ports/runtime.ts";

/** The ports of a workspace. */
export function portHandlers(deps: ApiDeps): HandlersOf<"listPorts"> {
  const { settings, views, logger } = deps;

  /** What cannot be seen is not nothing. */
  const listeningIn = async ({ id, endpoint }: Workspace): Promise<readonly ListeningPort[] | null> => {
    if (endpoint === null) return [];
    try {
      return await deps.listening(endpoint.containerId);
    } catch (error) {
      logger.warn({ workspaceId: id, error: String(error) }, "what listens in a workspace could not be seen");
      return null;
    }
  };

  /** Of the repository that this home has. */
  const labelledIn = async ({ id, homeCtx }: Workspace) => {
    const kept = await views.setup(id);
    return kept?.version === homeCtx.setup?.version && kept?.plan?.ok === true ? kept.plan.plan.ports : [];
  };

  return {
    listPorts: async ({ row }) => {
      const [listening, labelled] = await Promise.all([listeningIn(row), labelledIn(row)]);
      return presentPorts({
        ...{ listening, labelled, running: row.endpoint !== null, ownPorts: settings.ownPorts },
        urlOf: (port) => siteUrl(settings, row, port),
      });
    },
  };
}

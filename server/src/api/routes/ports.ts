import type { ApiDeps } from "#api/deps.ts";
import { ApiError, invalidField } from "#api/http/api-error.ts";
import type { HandlersOf } from "#api/http/handler.ts";
import { presentPorts } from "#api/workspaces/present-ports.ts";
import { siteUrl } from "#api/workspaces/site-url.ts";
import { MOST_SHARES, type ShareRefusal, shareRefusal } from "#core/requests/sharing.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { ListeningPort } from "#ports/runtime.ts";

/** The ports of a workspace, and who else may open them. */
export function portHandlers(deps: ApiDeps): HandlersOf<"listPorts" | "sharePort" | "unsharePort"> {
  const { settings, views, shares, clock, logger } = deps;

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
    listPorts: async ({ row, principal }) => {
      // Of somebody else's workspace an administrator sees what can be closed, and not what runs in it.
      const own = row.ownerId === principal.account.id;
      const [listening, labelled, shared] = await Promise.all([
        own ? listeningIn(row) : [],
        own ? labelledIn(row) : [],
        shares.open([row.id]),
      ]);
      return presentPorts({
        ...{ listening, labelled, shares: shared, running: row.endpoint !== null, ownPorts: settings.ownPorts },
        ...{ sharing: settings.portSharing, now: clock.nowMs(), urlOf: (port) => siteUrl(settings, row, port) },
      });
    },

    sharePort: async ({ row, params, body, principal, request }) => {
      const port = portOf(params.port);
      const lifetimeMs = body.for_seconds === null ? null : body.for_seconds * 1_000;
      const wish = { workspaceId: row.id, port, audience: body.audience, lifetimeMs };
      const { ownPorts, portSharing: bound } = settings;
      const refused = await shares.share(wish, { userId: principal.account.id, address: request.ip }, (now) =>
        shareRefusal({ ...now, ownPorts, bound }, wish),
      );
      if (refused !== null) throw errorOf(refused, port, settings);
      return undefined;
    },

    unsharePort: async ({ row, params, principal, request }) => {
      await shares.close(row.id, portOf(params.port), { userId: principal.account.id, address: request.ip });
      return undefined;
    },
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (port > 65_535) throw invalidField("port", "must be at most 65535");
  return port;
}

const ALLOWED = { off: "nobody", users: "whoever is signed in", public: "everybody" } as const;

function errorOf(refusal: ShareRefusal, port: number, { portSharing }: ApiDeps["settings"]): ApiError {
  switch (refusal) {
    case "NOT_FOUND":
      return new ApiError("NOT_FOUND", { what: "workspace" });
    case "DELETED":
      return new ApiError("WORKSPACE_DELETED");
    case "SHARING_OFF":
      return new ApiError("PORT_SHARING_LIMIT", { allowed: ALLOWED[portSharing] });
    case "OWN_PORT":
      return new ApiError("PORT_NOT_SHAREABLE", { port });
    case "TOO_MANY":
      return new ApiError("TOO_MANY_SHARES", { limit: MOST_SHARES });
  }
}

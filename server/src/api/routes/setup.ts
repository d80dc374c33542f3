import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { HandlersOf } from "#api/http/handler.ts";
import { granted } from "#api/workspaces/grant.ts";
import { presentOutput } from "#api/workspaces/present-output.ts";
import { presentProject } from "#api/workspaces/present-project.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { readMarkers } from "#core/setup/markers.ts";
import { readOutput } from "#core/setup/output.ts";
import { readRepository } from "./repositories.ts";

type SetupRoutes = "setRepository" | "skipSetup" | "getSetupLog" | "getProject" | "getStepOutput" | "allowCommands";

/** Enough for every step of a start and what is shown of its output, beside what the IDE says. */
const LOG_LINES = 2_000;

/** The repository of a workspace: another one, another try, no more waiting, and what git said. */
export function setupHandlers(deps: ApiDeps): HandlersOf<SetupRoutes> {
  const { requests, views } = deps;
  /** What was read of the repository that this home has. */
  const keptOf = async ({ id, homeCtx }: Workspace) => {
    const kept = await views.setup(id);
    return kept?.version === homeCtx.setup?.version ? kept : null;
  };
  /** The log of what runs now, and which start that is. What cannot be read is not there, as far as anybody can tell. */
  const logOf = async ({ endpoint }: Workspace) => {
    const text = endpoint === null ? "" : await deps.logs(endpoint.containerId, LOG_LINES).catch(() => "");
    return { lines: text.split("\n"), run: endpoint?.attempt ?? "" };
  };
  return {
    setRepository: async ({ row, body, principal, request }) => {
      const source = body.address === undefined ? null : readRepository(deps, body.address);
      const wish = { source, keysAllowed: body.keys_allowed ?? null };
      return granted(
        deps,
        principal,
        row.id,
        await requests.from(request.ip).repository(row, wish, principal.account.id),
      );
    },

    skipSetup: async ({ row, principal, request }) =>
      granted(deps, principal, row.id, await requests.from(request.ip).skipSetup(row, principal.account.id)),

    getSetupLog: async ({ row }) => {
      const { log = "", version = 0 } = (await views.setup(row.id)) ?? {};
      return { log, version };
    },

    getProject: async ({ row }) => {
      const { lines, run } = await logOf(row);
      return presentProject(await keptOf(row), readMarkers(lines, run), deps.clock.nowMs());
    },

    getStepOutput: async ({ row, query }) => {
      const { lines, run } = await logOf(row);
      return presentOutput(readOutput(lines, run, query.step, (data) => Buffer.from(data, "base64")));
    },

    allowCommands: async ({ row, body, principal, request }) => {
      const kept = await keptOf(row);
      const digest = kept?.plan?.ok === true ? kept.plan.plan.digest : null;
      if (digest === null || digest !== body.digest) throw new ApiError("COMMANDS_CHANGED");
      return granted(
        deps,
        principal,
        row.id,
        await requests.from(request.ip).allowCommands(row, digest, principal.account.id),
      );
    },
  };
}

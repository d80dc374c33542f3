import type { RepositorySource } from "#core/rows/source.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { requestPending } from "#core/rules/plan.ts";
import { type Actor, accept, type RequestInput, refuse, type Verdict } from "./requests.ts";

export interface RepositoryWish {
  /** Null: the one that it has, once more. */
  readonly source: RepositorySource | null;
  /** Null leaves it as it is. */
  readonly keysAllowed: boolean | null;
}

/** A repository for a home, or another try at it. Whoever runs is stopped for it and started again. */
export function requestRepository({ row }: RequestInput, wish: RepositoryWish, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  const source = wish.source ?? row.source;
  if (source === null) return refuse("NO_REPOSITORY");
  const restarts = startedWithout(row);
  if (restarts && requestPending(row)) return refuse("REQUEST_PENDING");
  const write = {
    source,
    setupWanted: row.setupWanted + 1,
    keysAllowed: wish.keysAllowed ?? row.keysAllowed,
    // Counts as a request of its own: what failed before is tried at once, and whoever plans is told.
    desiredVersion: row.desiredVersion + 1,
    ...(restarts ? { request: restart(row) } : {}),
  };
  return accept(row, write, actor, "repository", { code: "repository_wanted", fields: { repository: source.key } });
}

/** What runs, or is about to, was begun without what is asked for now. */
const startedWithout = ({ phase, operation, desiredState }: Workspace): boolean =>
  desiredState === "RUNNING" && (phase === "RUNNING" || operation === "STARTING");

const restart = (row: Workspace): Workspace["request"] => ({
  version: (row.request?.version ?? row.requestDone) + 1,
  action: { kind: "restart" },
});

/** Not to be waited for: what was begun is ended, and the workspace opens without it. */
export function requestSkip({ row }: RequestInput, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.source === null) return refuse("NO_REPOSITORY");
  const write = { setupSkipped: row.setupWanted, desiredVersion: row.desiredVersion + 1 };
  return accept(row, write, actor, "repository", {
    code: "repository_skipped",
    fields: { repository: row.source.key },
  });
}

/** Its owner agreed to the commands of its project: a workspace that runs is started again to run them. */
export function requestCommands({ row }: RequestInput, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.source === null) return refuse("NO_REPOSITORY");
  const pending = requestPending(row);
  // One that is still to come reads what was agreed to.
  const restarts = startedWithout(row) && !(pending && row.request?.action.kind === "restart");
  if (restarts && pending) return refuse("REQUEST_PENDING");
  const write = restarts ? { request: restart(row) } : {};
  return accept(row, write, actor, "repository", { code: "commands_allowed", fields: { repository: row.source.key } });
}

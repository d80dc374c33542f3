import { type Conditions, NODE_SILENT } from "#core/rows/condition.ts";
import type { EventLine, Facts, Mutation } from "#core/rows/mutation.ts";
import type { RequestAction, Workspace } from "#core/rows/workspace.ts";
import type { Failure } from "#core/rules/errors.ts";
import { requestPending } from "#core/rules/plan.ts";
import { type Actor, accept, type RequestInput, refuse, type Verdict } from "./requests.ts";

/** One container and the machine it is on, as an operator spoke of them. */
export interface Stranded {
  readonly container: string;
  readonly node: string;
}

/** The container that was last seen on a machine of which the engine hears nothing. */
function strandedIn(conditions: Conditions): Stranded | null {
  const present = conditions["infra.container_present"];
  if (present?.reason !== NODE_SILENT || present.unknownSince !== undefined) return null;
  const { container, node } = present.fields ?? {};
  return typeof container === "string" && typeof node === "string" ? { container, node } : null;
}

/** What waits for a container on that machine would wait for ever, so it gives way. */
const GIVES_WAY: ReadonlySet<RequestAction["kind"]> = new Set(["restart", "verify_archive"]);

/**
 * An operator says that a machine is off for good. The word is for the one container that was seen there: whatever is
 * started later is another one. Also for a workspace in the trash, whose last copy waits for that container.
 */
export function requestNodeOff({ row }: RequestInput, confirmation: string, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  const stranded = strandedIn(row.conditions);
  if (stranded === null) return refuse("NODE_NOT_SILENT");
  if (confirmation !== stranded.node) return refuse("NODE_MISMATCH");
  if (requestPending(row) && !GIVES_WAY.has(row.request?.action.kind ?? "node_off")) return refuse("REQUEST_PENDING");
  const request = {
    version: (row.request?.version ?? row.requestDone) + 1,
    action: { kind: "node_off", ...stranded } as const,
  };
  return accept(row, { request }, actor, "request", { code: "node_off", fields: { ...stranded } });
}

/** The word that nobody has used yet. */
export function wordGiven(row: Workspace): Stranded | null {
  if (!requestPending(row) || row.request?.action.kind !== "node_off") return null;
  const { container, node } = row.request.action;
  return { container, node };
}

/** Uses the word up, before anything is done by it: a leader that dies meanwhile has to be told again by a person. */
export function useWord({ row }: Facts): Mutation | null {
  const stranded = wordGiven(row);
  if (stranded === null || row.request === null) return null;
  return { patch: { requestDone: row.request.version } };
}

/** What came of it, for the history. */
export function recordWord({ row }: Facts, { container, node }: Stranded, refused: Failure | null): Mutation {
  const about = refused === null ? {} : { ...refused.fields, message: refused.message };
  const event: EventLine = {
    actor: "coordinator",
    kind: refused === null ? "container_given_up" : "container_not_given_up",
    from: row.phase,
    to: null,
    code: "node_off",
    details: { ...about, container, node },
  };
  return { patch: {}, events: [event] };
}

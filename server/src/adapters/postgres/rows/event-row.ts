import { toJson } from "#adapters/postgres/json.ts";
import type { EventLine } from "#core/rows/mutation.ts";
import { OPERATION_NAMES, PHASES } from "#core/rows/workspace.ts";

export type EventParams = {
  kind: string;
  workspaceId: string | null;
  actorKind: string;
  actorId: string | null;
  summary: string;
  fromPhase: string | null;
  toPhase: string | null;
  operation: string | null;
  details: string;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PARTS: ReadonlySet<string> = new Set(["coordinator", "ttl", "proxy", "system"]);
const phases: ReadonlySet<string> = new Set(PHASES);
const operations: ReadonlySet<string> = new Set(OPERATION_NAMES);

/**
 * A line of history in columns. Its actor is a user's id or the name of a part of the system; a person who acts on
 * somebody else's workspace can only be an administrator. From and to are levels, or the operation that begins.
 */
export function eventParams(line: EventLine, workspace: { id: string; ownerId: string } | null): EventParams {
  const person = UUID.test(line.actor);
  const part = PARTS.has(line.actor) ? line.actor : "system";
  const named = line.details?.["operation"];
  const operation = typeof named === "string" ? named : line.to;
  return {
    kind: line.kind,
    workspaceId: workspace?.id ?? null,
    actorKind: person ? (workspace === null || line.actor === workspace.ownerId ? "user" : "admin") : part,
    actorId: person ? line.actor : null,
    summary: line.why,
    fromPhase: among(phases, line.from),
    toPhase: among(phases, line.to),
    operation: among(operations, operation),
    details: toJson(line.details ?? {}),
  };
}

const among = (known: ReadonlySet<string>, value: string | null): string | null =>
  value !== null && known.has(value) ? value : null;

import { datedVoice, type EventMeaning, eventText } from "@codehub/contract/words";
import { toJson } from "#adapters/postgres/json.ts";
import { type EventParams, insertEvent } from "#adapters/postgres/queries/records/insert-event.ts";
import { count, type Queryable } from "#adapters/postgres/statement.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type { EventLine } from "#core/rows/mutation.ts";
import { OPERATION_NAMES, PHASES, type Workspace } from "#core/rows/workspace.ts";
import type { Doer } from "#ports/accounts.ts";

/** Lines of a workspace's history, written in the transaction they tell about. */
export async function insertLines(tx: Queryable, row: Workspace | null, lines: readonly EventLine[]): Promise<void> {
  for (const line of lines) {
    await count(tx, insertEvent, eventParams(line, row));
  }
}

/** Of what a person did to a workspace that is no wish about its state. */
export const lineBy = ({ userId: actor, address }: Doer, kind: string, code: string, details: Fields): EventLine => ({
  ...{ kind, code, actor, from: null, to: null },
  details: { ...details, ...(address === null ? {} : { address }) },
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PARTS: ReadonlySet<string> = new Set(["coordinator", "ttl", "proxy", "system"]);

/**
 * A line of history in columns. Its actor is a user's id or the name of a part of the system; a person who acts on
 * somebody else's workspace can only be an administrator. From and to are levels, or the operation that begins.
 */
function eventParams(line: EventLine, workspace: { id: string; ownerId: string } | null): EventParams {
  const person = UUID.test(line.actor);
  const part = PARTS.has(line.actor) ? line.actor : "system";
  const named = line.details?.["operation"];
  const operation = typeof named === "string" ? named : line.to;
  return {
    workspaceId: workspace?.id ?? null,
    actorKind: person ? (workspace === null || line.actor === workspace.ownerId ? "user" : "admin") : part,
    actorId: person ? line.actor : null,
    ...written({
      kind: line.kind,
      from_phase: among(PHASES, line.from),
      to_phase: among(PHASES, line.to),
      operation: among(OPERATION_NAMES, operation),
      details: { code: line.code, ...line.details },
    }),
  };
}

/**
 * What happened in columns, and beside it the sentence for it: for people who read the table, and for a version that
 * does not know the code.
 */
export function written(
  event: Omit<EventMeaning, "summary">,
): Pick<EventParams, "kind" | "summary" | "fromPhase" | "toPhase" | "operation" | "details"> {
  const { kind, from_phase: fromPhase, to_phase: toPhase, operation } = event;
  // Where the kind says it all, it is the code.
  const details = { code: kind, ...event.details };
  const summary = eventText({ ...event, details, summary: kind }, datedVoice);
  return { kind, summary, fromPhase, toPhase, operation, details: toJson(details) };
}

const among = <T extends string>(known: readonly T[], value: string | null): T | null =>
  known.find((one) => one === value) ?? null;

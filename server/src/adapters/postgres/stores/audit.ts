import { toJson } from "#adapters/postgres/json.ts";
import { insertEvent } from "#adapters/postgres/queries/records/insert-event.ts";
import { count, type Queryable } from "#adapters/postgres/statement.ts";
import type { AuditActor } from "#ports/accounts.ts";

/** A line of the audit log that concerns no workspace, written in the transaction it tells about. */
export async function audit(
  tx: Queryable,
  actor: AuditActor,
  kind: string,
  summary: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await count(tx, insertEvent, {
    kind,
    workspaceId: null,
    actorKind: actor.kind,
    actorId: actor.userId,
    summary,
    fromPhase: null,
    toPhase: null,
    operation: null,
    details: toJson(actor.address === null ? details : { ...details, address: actor.address }),
  });
}

import { insertEvent } from "#adapters/postgres/queries/records/insert-event.ts";
import { count, type Queryable } from "#adapters/postgres/statement.ts";
import type { AuditActor } from "#ports/accounts.ts";
import { written } from "./history.ts";

/** A line of the audit log that concerns no workspace, written in the transaction it tells about. */
export async function audit(
  tx: Queryable,
  actor: AuditActor,
  kind: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const address = actor.address === null ? {} : { address: actor.address };
  const happened = { kind, from_phase: null, to_phase: null, operation: null, details: { ...details, ...address } };
  await count(tx, insertEvent, {
    ...written(happened),
    workspaceId: null,
    actorKind: actor.kind,
    actorId: actor.userId,
  });
}

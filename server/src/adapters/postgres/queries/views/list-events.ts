import { API_ROLE } from "#adapters/postgres/roles.ts";
import { columns, statement } from "#adapters/postgres/statement.ts";
import type { AuditEventView } from "#ports/views.ts";
import type { ChoiceParams } from "./count-events.ts";

type Params = ChoiceParams & { before: string | null; skip: number; limit: number };

const eventColumns = columns("e", [
  ...["at", "kind", "workspaceId", "actorKind", "actorId", "summary", "fromPhase", "toPhase", "operation", "details"],
]);

/** A page of history, newest first. */
export const listEvents = statement<Params, AuditEventView>("list-events", API_ROLE)`
SELECT e.id::text AS id, ${eventColumns}, u.username AS "actorName", w.name AS "workspaceName"
FROM workspace_events e LEFT JOIN users u ON u.id = e.actor_id LEFT JOIN workspaces w ON w.id = e.workspace_id
WHERE (${"workspaceId"}::uuid IS NULL OR e.workspace_id = ${"workspaceId"})
  AND (${"actorId"}::uuid IS NULL OR e.actor_id = ${"actorId"})
  AND (${"actorKind"}::text IS NULL OR e.actor_kind = ${"actorKind"})
  AND (${"kind"}::text IS NULL OR e.kind = ${"kind"})
  AND (${"since"}::timestamptz IS NULL OR e.at >= ${"since"})
  AND (${"until"}::timestamptz IS NULL OR e.at < ${"until"})
  AND (${"before"}::bigint IS NULL OR e.id < ${"before"}::bigint)
ORDER BY e.id DESC
LIMIT ${"limit"} OFFSET ${"skip"}
`;

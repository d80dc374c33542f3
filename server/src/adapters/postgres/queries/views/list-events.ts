import { API_ROLE } from "#adapters/postgres/roles.ts";
import { columns, statement } from "#adapters/postgres/statement.ts";
import type { EventView } from "#ports/views.ts";

type Params = {
  workspaceId: string | null;
  actorId: string | null;
  kind: string | null;
  before: string | null;
  limit: number;
};

const eventColumns = columns("e", [
  ...["at", "kind", "workspaceId", "actorKind", "actorId", "summary", "fromPhase", "toPhase", "operation", "details"],
]);

/** A page of history, newest first. */
export const listEvents = statement<Params, EventView>("list-events", API_ROLE)`
SELECT e.id::text AS id, ${eventColumns}, u.username AS "actorName"
FROM workspace_events e LEFT JOIN users u ON u.id = e.actor_id
WHERE (${"workspaceId"}::uuid IS NULL OR e.workspace_id = ${"workspaceId"})
  AND (${"actorId"}::uuid IS NULL OR e.actor_id = ${"actorId"})
  AND (${"kind"}::text IS NULL OR e.kind = ${"kind"})
  AND (${"before"}::bigint IS NULL OR e.id < ${"before"}::bigint)
ORDER BY e.id DESC
LIMIT ${"limit"}
`;

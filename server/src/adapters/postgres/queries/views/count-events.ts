import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** All lines of history that match, also those of other pages. */
export const countEvents = statement<
  { workspaceId: string | null; actorId: string | null; kind: string | null },
  { total: number }
>("count-events", API_ROLE)`
SELECT count(*) AS total FROM workspace_events e
WHERE (${"workspaceId"}::uuid IS NULL OR e.workspace_id = ${"workspaceId"})
  AND (${"actorId"}::uuid IS NULL OR e.actor_id = ${"actorId"})
  AND (${"kind"}::text IS NULL OR e.kind = ${"kind"})
`;

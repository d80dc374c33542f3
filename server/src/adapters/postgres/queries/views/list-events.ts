import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms, Operation, Phase } from "#core/rows/workspace.ts";
import type { EventView } from "#ports/views.ts";

type Params = {
  workspaceId: string | null;
  actorId: string | null;
  kind: string | null;
  before: string | null;
  limit: number;
};

type Row = {
  id: string;
  at: Ms;
  kind: string;
  workspace_id: string | null;
  actor_kind: EventView["actorKind"];
  actor_id: string | null;
  actor_name: string | null;
  summary: string;
  from_phase: Phase | null;
  to_phase: Phase | null;
  operation: Operation | null;
  details: Record<string, unknown>;
};

/** A page of history, newest first. */
export const listEvents = statement<Params, Row>("list-events", API_ROLE)`
SELECT e.id::text AS id, e.at, e.kind, e.workspace_id, e.actor_kind, e.actor_id, u.username AS actor_name, e.summary,
  e.from_phase, e.to_phase, e.operation, e.details
FROM workspace_events e LEFT JOIN users u ON u.id = e.actor_id
WHERE (${"workspaceId"}::uuid IS NULL OR e.workspace_id = ${"workspaceId"})
  AND (${"actorId"}::uuid IS NULL OR e.actor_id = ${"actorId"})
  AND (${"kind"}::text IS NULL OR e.kind = ${"kind"})
  AND (${"before"}::bigint IS NULL OR e.id < ${"before"}::bigint)
ORDER BY e.id DESC
LIMIT ${"limit"}
`;

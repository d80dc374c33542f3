import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import type { EventParams } from "#adapters/postgres/rows/event-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One line of history. */
export const insertEvent = statement<EventParams>("insert-event", API_ROLE, COORDINATOR_ROLE)`
INSERT INTO workspace_events
  (kind, workspace_id, actor_kind, actor_id, summary, from_phase, to_phase, operation, details)
VALUES (${"kind"}, ${"workspaceId"}, ${"actorKind"}, ${"actorId"}, ${"summary"}, ${"fromPhase"}, ${"toPhase"}, ${"operation"}, ${"details"})
`;

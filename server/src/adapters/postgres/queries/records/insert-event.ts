import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

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

/** One line of history. */
export const insertEvent = statement<EventParams>("insert-event", API_ROLE, COORDINATOR_ROLE)`
INSERT INTO workspace_events
  (kind, workspace_id, actor_kind, actor_id, summary, from_phase, to_phase, operation, details)
VALUES (${"kind"}, ${"workspaceId"}, ${"actorKind"}, ${"actorId"}, ${"summary"}, ${"fromPhase"}, ${"toPhase"}, ${"operation"}, ${"details"})
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The choice as PostgreSQL is given it. */
export type ChoiceParams = {
  workspaceId: string | null;
  actorId: string | null;
  actorKind: string | null;
  kind: string | null;
  since: Date | null;
  until: Date | null;
};

/** All lines of history that match, also those of other pages. */
export const countEvents = statement<ChoiceParams, { total: number }>("count-events", API_ROLE)`
SELECT count(*) AS total FROM workspace_events e
WHERE (${"workspaceId"}::uuid IS NULL OR e.workspace_id = ${"workspaceId"})
  AND (${"actorId"}::uuid IS NULL OR e.actor_id = ${"actorId"})
  AND (${"actorKind"}::text IS NULL OR e.actor_kind = ${"actorKind"})
  AND (${"kind"}::text IS NULL OR e.kind = ${"kind"})
  AND (${"since"}::timestamptz IS NULL OR e.at >= ${"since"})
  AND (${"until"}::timestamptz IS NULL OR e.at < ${"until"})
`;

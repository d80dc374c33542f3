import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Ends a session and everything handed over from it, and counts them. */
export const deleteSession = statement<{ id: string }, { user_id: string; ended: number }>("delete-session", API_ROLE)`
WITH RECURSIVE ending AS (
  SELECT id FROM sessions WHERE id = ${"id"}
  UNION
  SELECT child.id FROM sessions child JOIN ending ON child.parent_id = ending.id
), gone AS (
  DELETE FROM sessions WHERE id IN (SELECT id FROM ending) RETURNING user_id
)
SELECT user_id, count(*) AS ended FROM gone GROUP BY user_id
`;

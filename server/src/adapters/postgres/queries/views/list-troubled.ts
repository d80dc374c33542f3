import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { WorkspaceFacts } from "#core/notices/concerns.ts";

/**
 * Workspaces in ERROR, and those that are on their way for too long: so many, the longest first, and those that are named, with how many there
 * are in all. A way begins with the newest request, which is in the history, or with the phase that was left.
 */
export const listTroubled = statement<
  { limit: number; stuckSince: Date; named: readonly string[] },
  WorkspaceFacts & { readonly total: number }
>("list-troubled", API_ROLE)`
SELECT listed.* FROM (
  SELECT troubled.*, row_number() OVER (ORDER BY since, id) AS place, (count(*) OVER ())::integer AS total
  FROM (
    SELECT w.id, w.name, u.username AS owner, w.phase = 'ERROR' AS "inError", w.error_reason AS reason,
      CASE WHEN w.phase = 'ERROR' THEN w.phase_changed_at ELSE greatest(w.phase_changed_at, requested.at) END AS since
    FROM workspaces w
    JOIN users u ON u.id = w.owner_id
    LEFT JOIN LATERAL (
      SELECT e.at FROM workspace_events e
      WHERE e.workspace_id = w.id AND e.actor_kind <> 'coordinator' ORDER BY e.id DESC LIMIT 1
    ) AS requested ON true
    WHERE w.phase = 'ERROR' OR NOT w.settled
  ) AS troubled
  WHERE "inError" OR since <= ${"stuckSince"}
) AS listed
WHERE place <= ${"limit"} OR id = ANY(${"named"})
ORDER BY place
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

type Row = {
  now: Ms;
  users: number;
  slots_held: number;
  converging: number;
  oldest_converging_since: Ms | null;
};

/** The fleet in a few numbers. Converging counts from the newest request, which is in the history. */
export const summariseFleet = statement<Record<never, never>, Row>("summarise-fleet", API_ROLE)`
SELECT clock_timestamp() AS now,
  (SELECT count(*) FROM users WHERE deleted_at IS NULL) AS users,
  (SELECT count(*) FROM workspaces WHERE holds_slot) AS slots_held,
  (SELECT count(*) FROM workspaces WHERE NOT settled) AS converging,
  (SELECT min(coalesce(requested.at, w.phase_changed_at))
   FROM workspaces w
   LEFT JOIN LATERAL (
     SELECT e.at FROM workspace_events e
     WHERE e.workspace_id = w.id AND e.actor_kind <> 'coordinator' ORDER BY e.id DESC LIMIT 1
   ) AS requested ON true
   WHERE NOT w.settled) AS oldest_converging_since
`;

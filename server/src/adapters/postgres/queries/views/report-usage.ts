import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { UsageLine } from "#ports/views.ts";

/**
 * Hours that workspaces ran and how large homes were at the end of each week, by owner, from the history: a workspace runs from
 * the line that says so to the next one about its phase, and a home is as large as when it was last archived. Weeks begin on
 * Monday, UTC. What is in no week of anybody has no row.
 */
export const reportUsage = statement<{ weeks: number }, UsageLine>("report-usage", API_ROLE)`
WITH weeks AS (
  SELECT begins AT TIME ZONE 'UTC' AS begins, least((begins + interval '1 week') AT TIME ZONE 'UTC', now()) AS ends
  FROM generate_series(
    date_trunc('week', now() AT TIME ZONE 'UTC') - make_interval(weeks => ${"weeks"} - 1),
    date_trunc('week', now() AT TIME ZONE 'UTC'), interval '1 week') AS begins
), phases AS (
  SELECT e.workspace_id, e.to_phase, e.at, lead(e.at) OVER (PARTITION BY e.workspace_id ORDER BY e.id) AS until
  FROM workspace_events e
  WHERE e.workspace_id IS NOT NULL AND e.actor_kind = 'coordinator' AND e.to_phase IS NOT NULL AND e.kind <> 'taken_away'
), ran AS (
  SELECT p.workspace_id, p.at,
    coalesce(p.until, CASE WHEN w.phase = 'RUNNING' THEN now() ELSE greatest(p.at, w.phase_changed_at) END) AS until
  FROM phases p JOIN workspaces w ON w.id = p.workspace_id WHERE p.to_phase = 'RUNNING'
), hours AS (
  SELECT w.owner_id, weeks.begins,
    sum(extract(epoch FROM least(ran.until, weeks.ends) - greatest(ran.at, weeks.begins))) / 3600 AS hours
  FROM weeks JOIN ran ON ran.at < weeks.ends AND ran.until > weeks.begins JOIN workspaces w ON w.id = ran.workspace_id
  GROUP BY w.owner_id, weeks.begins
), copies AS (
  SELECT e.workspace_id, e.at, (e.details ->> 'contentBytes')::numeric AS bytes,
    lead(e.at) OVER (PARTITION BY e.workspace_id ORDER BY e.id) AS until
  FROM workspace_events e
  WHERE e.workspace_id IS NOT NULL AND e.kind = 'operation_completed' AND e.details ? 'contentBytes'
), sizes AS (
  SELECT w.owner_id, weeks.begins, sum(copies.bytes) AS bytes
  FROM weeks JOIN copies ON copies.at < weeks.ends AND (copies.until IS NULL OR copies.until >= weeks.ends)
    JOIN workspaces w ON w.id = copies.workspace_id AND (w.deleted_at IS NULL OR w.deleted_at >= weeks.ends)
  GROUP BY w.owner_id, weeks.begins
)
SELECT u.id AS "userId", u.username, begins AS week,
  coalesce(hours.hours, 0)::double precision AS hours, coalesce(sizes.bytes, 0)::bigint AS "homeBytes"
FROM hours FULL JOIN sizes USING (owner_id, begins) JOIN users u ON u.id = owner_id
ORDER BY u.username, begins
`;

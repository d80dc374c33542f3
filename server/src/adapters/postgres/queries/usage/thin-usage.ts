import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Makes hours of minutes that are a day old, whole hours only, for so many workspaces that have some. */
export const thinUsage = statement<{ workspaces: number }>("thin-usage", COORDINATOR_ROLE)`
WITH old AS (
  SELECT DISTINCT workspace_id FROM usage_minutes
  WHERE at < date_bin('1 hour', now() - interval '24 hours', 'epoch') LIMIT ${"workspaces"}
), gone AS (
  DELETE FROM usage_minutes m USING old
  WHERE m.workspace_id = old.workspace_id AND m.at < date_bin('1 hour', now() - interval '24 hours', 'epoch')
  RETURNING m.*
)
INSERT INTO usage_hours
  (workspace_id, at, minutes, cpu_cores, memory_bytes, home_bytes, disk_used_bytes, disk_total_bytes, disk_shared)
SELECT workspace_id, date_bin('1 hour', at, 'epoch'), count(*), avg(cpu_cores), max(memory_bytes),
  (array_agg(home_bytes ORDER BY at DESC) FILTER (WHERE home_bytes IS NOT NULL))[1],
  (array_agg(disk_used_bytes ORDER BY at DESC) FILTER (WHERE disk_used_bytes IS NOT NULL))[1],
  (array_agg(disk_total_bytes ORDER BY at DESC) FILTER (WHERE disk_used_bytes IS NOT NULL))[1],
  (array_agg(disk_shared ORDER BY at DESC) FILTER (WHERE disk_used_bytes IS NOT NULL))[1]
FROM gone GROUP BY 1, 2
ON CONFLICT (workspace_id, at) DO NOTHING
`;

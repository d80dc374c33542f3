import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { UsageLatest, UsagePoint } from "#ports/views.ts";

/** One workspace over a time, in steps: the mean of the processor, the peak of the memory, the last of what is a state. */
export const listUsage = statement<{ workspaceId: string; rangeMs: number; stepMs: number }, UsagePoint>(
  "list-usage",
  API_ROLE,
)`
SELECT date_bin(${"stepMs"}::bigint * interval '1 millisecond', at, 'epoch') AS at,
  sum(cpu_cores * minutes) / sum(minutes) FILTER (WHERE cpu_cores IS NOT NULL) AS "cpuCores",
  max(memory_bytes) AS "memoryBytes",
  (array_agg(home_bytes ORDER BY at DESC) FILTER (WHERE home_bytes IS NOT NULL))[1] AS "homeBytes",
  (array_agg(disk_used_bytes ORDER BY at DESC) FILTER (WHERE disk_used_bytes IS NOT NULL))[1] AS "diskUsedBytes"
FROM (
  SELECT at, 1 AS minutes, cpu_cores, memory_bytes, home_bytes, disk_used_bytes FROM usage_minutes
  WHERE workspace_id = ${"workspaceId"} AND at > now() - ${"rangeMs"}::bigint * interval '1 millisecond'
  UNION ALL
  SELECT at, minutes, cpu_cores, memory_bytes, home_bytes, disk_used_bytes FROM usage_hours
  WHERE workspace_id = ${"workspaceId"} AND at > now() - ${"rangeMs"}::bigint * interval '1 millisecond'
) AS samples
GROUP BY 1 ORDER BY 1
`;

/** The last sample of a workspace, with the last that is known of its home. */
export const latestUsage = statement<{ workspaceId: string }, UsageLatest>("latest-usage", API_ROLE)`
SELECT at, cpu_cores AS "cpuCores", memory_bytes AS "memoryBytes", disk_used_bytes AS "diskUsedBytes",
  disk_total_bytes AS "diskTotalBytes", disk_shared AS "diskShared", missing,
  coalesce(
    (SELECT home_bytes FROM usage_minutes WHERE workspace_id = ${"workspaceId"} AND home_bytes IS NOT NULL ORDER BY at DESC LIMIT 1),
    (SELECT home_bytes FROM usage_hours WHERE workspace_id = ${"workspaceId"} AND home_bytes IS NOT NULL ORDER BY at DESC LIMIT 1)
  ) AS "homeBytes"
FROM (
  (SELECT at, cpu_cores, memory_bytes, disk_used_bytes, disk_total_bytes, disk_shared, coalesce(missing, '{}') AS missing
   FROM usage_minutes WHERE workspace_id = ${"workspaceId"} ORDER BY at DESC LIMIT 1)
  UNION ALL
  (SELECT at, cpu_cores, memory_bytes, disk_used_bytes, disk_total_bytes, disk_shared, '{}' AS missing
   FROM usage_hours WHERE workspace_id = ${"workspaceId"} ORDER BY at DESC LIMIT 1)
) AS last ORDER BY at DESC LIMIT 1
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One minute of all that run, at one time. Less than nothing stands for what is not known, an empty text for no gaps. */
export const saveUsage = statement<{
  ids: readonly string[];
  cpu: readonly number[];
  memory: readonly number[];
  home: readonly number[];
  used: readonly number[];
  total: readonly number[];
  shared: readonly number[];
  missing: readonly string[];
}>("save-usage", COORDINATOR_ROLE)`
INSERT INTO usage_minutes
  (workspace_id, at, cpu_cores, memory_bytes, home_bytes, disk_used_bytes, disk_total_bytes, disk_shared, missing)
SELECT id, now(), nullif(cpu, -1), nullif(memory, -1), nullif(home, -1), nullif(used, -1), nullif(total, -1),
  CASE WHEN used >= 0 THEN shared = 1 END, nullif(missing, '')::jsonb
FROM unnest(${"ids"}::uuid[], ${"cpu"}::real[], ${"memory"}::bigint[], ${"home"}::bigint[], ${"used"}::bigint[],
  ${"total"}::bigint[], ${"shared"}::integer[], ${"missing"}::text[])
  AS given (id, cpu, memory, home, used, total, shared, missing)
ON CONFLICT DO NOTHING
`;

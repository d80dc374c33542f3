import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Operation } from "#core/rows/workspace.ts";

type Row = {
  operation: Operation;
  finished: number;
  failed: number;
  median_ms: number | null;
  p95_ms: number | null;
};

/** How operations went in the last day, from the history. */
export const summariseOperations = statement<Record<never, never>, Row>("summarise-operations", API_ROLE)`
SELECT operation,
  count(*) FILTER (WHERE kind = 'operation_completed') AS finished,
  count(*) FILTER (WHERE kind IN ('attempt_failed', 'error')) AS failed,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY (details ->> 'duration_ms')::double precision)
    FILTER (WHERE kind = 'operation_completed') AS median_ms,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY (details ->> 'duration_ms')::double precision)
    FILTER (WHERE kind = 'operation_completed') AS p95_ms
FROM workspace_events
WHERE operation IS NOT NULL AND at > now() - interval '24 hours'
GROUP BY operation
`;

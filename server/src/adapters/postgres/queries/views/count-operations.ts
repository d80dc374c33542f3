import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Operation } from "#core/rows/workspace.ts";

/** Operations that run now. */
export const countOperations = statement<Record<never, never>, { operation: Operation; count: number }>(
  "count-operations",
  API_ROLE,
)`
SELECT operation, count(*) AS count FROM workspaces
WHERE NOT settled AND operation <> 'NONE' GROUP BY operation
`;

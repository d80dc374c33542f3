import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The longest time that any workspace may be idle before it goes to standby. */
export const longestStandbyTtl = statement<{ defaultSeconds: number }, { seconds: number }>(
  "longest-standby-ttl",
  API_ROLE,
)`
SELECT greatest(max(standby_ttl_seconds), ${"defaultSeconds"}::integer) AS seconds
FROM workspaces WHERE deleted_at IS NULL
`;

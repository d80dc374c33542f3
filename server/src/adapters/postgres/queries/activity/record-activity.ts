import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Keeps the newer time of each. In one order, so that two proxies never wait for each other. */
export const recordActivity = statement<{ ids: readonly string[]; times: readonly number[] }>(
  "record-activity",
  API_ROLE,
)`
INSERT INTO activity (workspace_id, at)
SELECT id, at FROM unnest(${"ids"}::text[], ${"times"}::bigint[]) AS given (id, at) ORDER BY id
ON CONFLICT (workspace_id) DO UPDATE SET at = excluded.at WHERE activity.at < excluded.at
`;

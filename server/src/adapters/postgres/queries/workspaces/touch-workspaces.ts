import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Notes when workspaces were last used, only ever forwards. Rows are locked in one order, so that two of these never wait for each other. */
export const touchWorkspaces = statement<{ ids: readonly string[]; times: readonly Date[] }>(
  "touch-workspaces",
  API_ROLE,
)`
WITH access AS (
  SELECT w.id, least(given.at, clock_timestamp()) AS at
  FROM unnest(${"ids"}::uuid[], ${"times"}::timestamptz[]) AS given (id, at)
  JOIN workspaces w USING (id)
  WHERE w.last_access_at < least(given.at, clock_timestamp())
  ORDER BY w.id
  FOR NO KEY UPDATE OF w
)
UPDATE workspaces AS w SET last_access_at = access.at
FROM access WHERE w.id = access.id AND w.last_access_at < access.at
`;

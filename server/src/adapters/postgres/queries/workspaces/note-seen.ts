import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/**
 * When these were last seen, where they still are what was read, and their conditions, where some are given (an empty text
 * stands for none). Rows are locked in one order, so that two of these never wait for each other.
 */
export const noteSeen = statement<{
  ids: readonly string[];
  versions: readonly number[];
  conditions: readonly string[];
}>("note-seen", COORDINATOR_ROLE)`
WITH seen AS (
  SELECT w.id, nullif(given.conditions, '')::jsonb AS conditions
  FROM unnest(${"ids"}::uuid[], ${"versions"}::bigint[], ${"conditions"}::text[]) AS given (id, version, conditions)
  JOIN workspaces w ON w.id = given.id AND w.row_version = given.version
  ORDER BY w.id
  FOR NO KEY UPDATE OF w
)
UPDATE workspaces AS w SET observed_at = clock_timestamp(), conditions = coalesce(seen.conditions, w.conditions)
FROM seen WHERE w.id = seen.id
`;

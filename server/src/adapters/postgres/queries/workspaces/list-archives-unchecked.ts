import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Homes that live in an archive nobody has looked at since then, the longest unseen first; never seen sorts before everything. */
export const listArchivesUnchecked = statement<{ before: string; limit: number }, { id: string }>(
  "list-archives-unchecked",
  COORDINATOR_ROLE,
)`
SELECT id FROM workspaces
WHERE archive_key IS NOT NULL AND home_volume IS NULL AND deleted_at IS NULL
  AND coalesce(conditions -> 'storage.archive_ready' ->> 'checked_at', '') COLLATE "C" < ${"before"}
ORDER BY coalesce(conditions -> 'storage.archive_ready' ->> 'checked_at', '') COLLATE "C"
LIMIT ${"limit"}
`;

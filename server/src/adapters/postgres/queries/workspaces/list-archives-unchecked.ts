import { COORDINATOR_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** Homes that live in an archive nobody has looked at since then, the longest unseen first. */
export const listArchivesUnchecked: Statement<{ before: string; limit: number }, { id: string }> = statement<
  { before: string; limit: number },
  { id: string }
>("list-archives-unchecked", COORDINATOR_ROLE)`
SELECT id FROM workspaces
WHERE archive_key IS NOT NULL AND home_volume IS NULL AND deleted_at IS NULL
  AND ((conditions -> 'storage.archive_ready' ->> 'checked_at') COLLATE "C" < ${"before"}
    OR conditions -> 'storage.archive_ready' ->> 'checked_at' IS NULL)
ORDER BY (conditions -> 'storage.archive_ready' ->> 'checked_at') COLLATE "C" NULLS FIRST
LIMIT ${"limit"}
`;

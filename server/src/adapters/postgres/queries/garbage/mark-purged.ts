import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/**
 * Marks what a purge lets go of where no operation was needed for it, because the workspace had neither a volume nor an
 * archive: whatever is on record of it, and its last upload, which may never have been committed. The record of what was
 * removed is gone and an upload is marked soon after the purge or not at all, so nothing is marked for ever. The listing
 * finds whatever is left.
 */
export const markPurged = statement<Record<never, never>>("mark-purged", COORDINATOR_ROLE)`
WITH purged AS (
  SELECT id, archive_op_id, updated_at FROM workspaces
  WHERE purge AND operation = 'NONE' AND archive_key IS NULL AND home_volume IS NULL
    AND updated_at > now() - interval '1 day'
)
INSERT INTO gc_marks (key, urgent)
SELECT key, true FROM purged JOIN archives ON archives.workspace_id = purged.id
UNION
SELECT id || '/' || archive_op_id || '/home.tar.zst', true FROM purged
WHERE archive_op_id IS NOT NULL AND updated_at > now() - interval '1 hour'
ON CONFLICT (key) DO NOTHING
`;

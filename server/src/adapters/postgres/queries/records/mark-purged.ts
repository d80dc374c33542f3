import { COORDINATOR_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/**
 * Marks what a purge lets go of where no operation was needed for it: whatever is on record of a workspace that had
 * neither a volume nor an archive. The record of what was removed is gone, so nothing is marked for ever. The listing
 * finds whatever is older than a day.
 */
export const markPurged: Statement<Record<never, never>, Record<never, never>> = statement<Record<never, never>>(
  "mark-purged",
  COORDINATOR_ROLE,
)`
INSERT INTO gc_marks (key, urgent)
SELECT key, true FROM workspaces JOIN archives ON archives.workspace_id = workspaces.id
WHERE purge AND operation = 'NONE' AND archive_key IS NULL AND home_volume IS NULL
  AND updated_at > now() - interval '1 day'
ON CONFLICT (key) DO NOTHING
`;

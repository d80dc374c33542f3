import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deleted rows whose time for undo is over and that do not say so yet. */
export const listExpirable = statement<{ retentionMs: number; limit: number }, { id: string }>(
  "list-expirable",
  COORDINATOR_ROLE,
)`
SELECT id FROM workspaces
WHERE deleted_at IS NOT NULL AND expired_at IS NULL
  AND deleted_at < now() - make_interval(secs => ${"retentionMs"}::double precision / 1000)
ORDER BY deleted_at
LIMIT ${"limit"}
`;

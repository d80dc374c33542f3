import { API_ROLE } from "#adapters/postgres/roles.ts";
import { inTrash } from "#adapters/postgres/rows/view-row.ts";
import { type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** All that somebody has, also what can still be taken out of the trash, while nobody changes any of it. */
export const lockWorkspacesOf = statement<{ ownerId: string }, WorkspaceRow>("lock-workspaces-of", API_ROLE)`
SELECT ${workspaceColumns} FROM workspaces w
WHERE w.owner_id = ${"ownerId"} AND (w.deleted_at IS NULL OR ${inTrash})
ORDER BY w.id FOR NO KEY UPDATE
`;

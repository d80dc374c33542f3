import { API_ROLE } from "#adapters/postgres/roles.ts";
import { inTrash, type ViewRow, viewColumns, viewTables } from "#adapters/postgres/rows/view-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** All of a user, also what is in the trash. */
export const viewWorkspacesOfOwner = statement<{ ownerId: string }, ViewRow>("view-workspaces-of-owner", API_ROLE)`
SELECT ${viewColumns} FROM ${viewTables}
WHERE w.owner_id = ${"ownerId"} AND (w.deleted_at IS NULL OR ${inTrash})
ORDER BY w.created_at DESC, w.id DESC
`;

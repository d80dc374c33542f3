import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type ArchiveRow, archiveColumns } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Archives of a workspace that nothing has given up, newest first. */
export const listArchives = statement<{ workspaceId: string }, ArchiveRow>("list-archives", API_ROLE)`
SELECT ${archiveColumns} FROM archives a
WHERE a.workspace_id = ${"workspaceId"} AND a.state <> 'orphan' ORDER BY a.created_at DESC
`;

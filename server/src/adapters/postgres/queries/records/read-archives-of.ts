import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type ArchiveRow, archiveColumns } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Every archive a workspace ever had. */
export const readArchivesOf = statement<{ workspaceId: string }, ArchiveRow>("read-archives-of", COORDINATOR_ROLE)`
SELECT ${archiveColumns} FROM archives a WHERE a.workspace_id = ${"workspaceId"} ORDER BY a.created_at, a.key
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type ArchiveRow, archiveColumns } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The newest archive of each workspace that nothing has given up. */
export const newestArchives = statement<{ ids: readonly string[] }, ArchiveRow>("newest-archives", API_ROLE)`
SELECT DISTINCT ON (a.workspace_id) ${archiveColumns} FROM archives a
WHERE a.workspace_id = ANY (${"ids"}::uuid[]) AND a.state <> 'orphan'
ORDER BY a.workspace_id, a.created_at DESC
`;

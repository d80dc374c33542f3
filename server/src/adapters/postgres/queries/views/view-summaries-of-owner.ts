import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type ListedRow, listedColumns, listedTables } from "#adapters/postgres/rows/listed-row.ts";
import { inTrash } from "#adapters/postgres/rows/view-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** All of a user, also what is in the trash. */
export const viewSummariesOfOwner = statement<{ ownerId: string }, ListedRow>("view-summaries-of-owner", API_ROLE)`
SELECT ${listedColumns} FROM ${listedTables}
WHERE w.owner_id = ${"ownerId"} AND (w.deleted_at IS NULL OR ${inTrash})
ORDER BY w.created_at DESC, w.id DESC
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type ViewRow, viewColumns, viewTables } from "#adapters/postgres/rows/view-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Rows with what people see beside them. */
export const viewWorkspaces = statement<{ ids: readonly string[] }, ViewRow>("view-workspaces", API_ROLE)`
SELECT ${viewColumns} FROM ${viewTables} WHERE w.id = ANY (${"ids"}::uuid[])
`;

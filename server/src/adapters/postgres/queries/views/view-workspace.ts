import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type ViewRow, viewColumns, viewTables } from "#adapters/postgres/rows/view-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** A row with what people see beside it. */
export const viewWorkspace = statement<{ id: string }, ViewRow>("view-workspace", API_ROLE)`
SELECT ${viewColumns} FROM ${viewTables} WHERE w.id = ${"id"}
`;

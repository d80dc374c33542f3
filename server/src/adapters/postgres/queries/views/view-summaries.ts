import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type ListedRow, listedColumns, listedTables } from "#adapters/postgres/rows/listed-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = { ownerId: string; ids: readonly string[] };

/** Rows as events tell of them. */
export const viewSummaries = statement<Params, ListedRow>("view-summaries", API_ROLE)`
SELECT ${listedColumns} FROM ${listedTables}
WHERE w.owner_id = ${"ownerId"} AND w.id = ANY (${"ids"}::uuid[])
`;

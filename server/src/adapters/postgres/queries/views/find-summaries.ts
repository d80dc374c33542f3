import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type ListedRow, listedColumns, listedTables, summaryStamp } from "#adapters/postgres/rows/listed-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { ListFilter } from "#ports/views.ts";
import { type FilterParams, trashFilter } from "./list-workspaces.ts";

type Params = FilterParams & { ids: readonly string[] };
type Row = ListedRow & { stamp: string };

const find = (trash: ListFilter["trash"]) =>
  statement<Params, Row>(`find-summaries-${trash}`, API_ROLE)`
SELECT ${listedColumns}, ${summaryStamp} FROM ${listedTables}
WHERE w.id = ANY (${"ids"}::uuid[]) AND ${trashFilter(trash)}
  AND (${"ownerId"}::uuid IS NULL OR w.owner_id = ${"ownerId"})
  AND (${"phases"}::text[] IS NULL OR w.phase = ANY (${"phases"}))
  AND (${"text"}::text IS NULL
    OR position(lower(${"text"}) IN lower(concat_ws(' ', w.name, w.description, w.memo))) > 0)`;

/** Rows of a page of which no summary is known. What left the list since the page was read is left out. */
export const findSummaries = {
  exclude: find("exclude"),
  only: find("only"),
  include: find("include"),
};

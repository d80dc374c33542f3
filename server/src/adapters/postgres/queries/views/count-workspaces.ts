import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { ListFilter } from "#ports/views.ts";
import { type FilterParams, trashFilter } from "./list-workspaces.ts";

const total = (trash: ListFilter["trash"]) =>
  statement<FilterParams, { total: number }>(`count-workspaces-${trash}`, API_ROLE)`
SELECT count(*) AS total FROM workspaces w
WHERE ${trashFilter(trash)}
  AND (${"ownerId"}::uuid IS NULL OR w.owner_id = ${"ownerId"})
  AND (${"phases"}::text[] IS NULL OR w.phase = ANY (${"phases"}))
  AND (${"text"}::text IS NULL
    OR position(lower(${"text"}) IN lower(concat_ws(' ', w.name, w.description, w.memo))) > 0)`;

/** All workspaces that match, also those of other pages. */
export const countWorkspaces = {
  exclude: total("exclude"),
  only: total("only"),
  include: total("include"),
};

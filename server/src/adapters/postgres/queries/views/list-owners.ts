import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { OwnerCount } from "#ports/views.ts";
import { type FilterParams, trashFilter } from "./list-workspaces.ts";

/** Counted before names are looked up: there are many more workspaces than people. */
export const listOwners = statement<Omit<FilterParams, "ownerId">, OwnerCount>("list-owners", API_ROLE)`
SELECT u.id, u.username, n.workspaces
FROM (
  SELECT w.owner_id, count(*) AS workspaces FROM workspaces w
  WHERE ${trashFilter("exclude")}
    AND (${"phases"}::text[] IS NULL OR w.phase = ANY (${"phases"}))
    AND (${"text"}::text IS NULL
      OR position(lower(${"text"}) IN lower(concat_ws(' ', w.name, w.description, w.memo))) > 0)
  GROUP BY w.owner_id
) n JOIN users u ON u.id = n.owner_id
ORDER BY u.username`;

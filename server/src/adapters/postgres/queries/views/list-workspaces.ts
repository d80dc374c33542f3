import { API_ROLE } from "#adapters/postgres/roles.ts";
import { summaryStamp } from "#adapters/postgres/rows/listed-row.ts";
import { inTrash, type ViewRow, viewColumns, viewTables } from "#adapters/postgres/rows/view-row.ts";
import { type Fragment, fragment, statement } from "#adapters/postgres/statement.ts";
import type { ListFilter, SummaryStamp } from "#ports/views.ts";

export type FilterParams = { ownerId: string | null; text: string | null; phases: readonly string[] | null };
export type PageParams = FilterParams & { afterValue: string | null; afterId: string | null; limit: number };
type Sorted<Row> = Row & { sortValue: string };

type Order = Pick<ListFilter, "sort" | "order" | "trash">;

// What a page is sorted by, and the type its text is read back as when it comes in again as a cursor.
const SORTS: Readonly<Record<ListFilter["sort"], { by: string; type: string }>> = {
  name: { by: "lower(w.name)", type: "text" },
  created_at: { by: "w.created_at", type: "timestamptz" },
  updated_at: { by: "w.updated_at", type: "timestamptz" },
  last_access_at: { by: "w.last_access_at", type: "timestamptz" },
  phase: { by: "w.phase", type: "text" },
  // Then by name. A blank is below everything that a username may have, so that nobody stands in the middle of another.
  owner: { by: `(u.username || ' ' || lower(w.name)) COLLATE "C"`, type: "text" },
};

const TRASH: Readonly<Record<ListFilter["trash"], string>> = {
  exclude: "w.deleted_at IS NULL",
  only: inTrash.sql,
  include: `(w.deleted_at IS NULL OR ${inTrash.sql})`,
};

export const trashFilter = (trash: ListFilter["trash"]): Fragment => fragment(TRASH[trash]);

interface Form {
  readonly name: string;
  readonly columns: Fragment;
  readonly tables: Fragment;
}

/**
 * A page of workspaces. Sort, direction and trash are part of the text, so that PostgreSQL can use the partial indexes;
 * each combination is a statement of its own. Whoever comes after the cursor's row in the order is on the next page.
 */
function page<Row extends object>({ name, columns, tables }: Form, { sort, order, trash }: Order) {
  const { by, type } = SORTS[sort];
  const direction = fragment(order);
  const beyond = fragment(order === "asc" ? ">" : "<");
  return statement<PageParams, Sorted<Row>>(`${name}-${sort}-${order}-${trash}`, API_ROLE)`
SELECT ${columns}, (${fragment(by)})::text AS "sortValue" FROM ${tables}
WHERE ${trashFilter(trash)}
  AND (${"ownerId"}::uuid IS NULL OR w.owner_id = ${"ownerId"})
  AND (${"phases"}::text[] IS NULL OR w.phase = ANY (${"phases"}))
  AND (${"text"}::text IS NULL
    OR position(lower(${"text"}) IN lower(concat_ws(' ', w.name, w.description, w.memo))) > 0)
  AND (${"afterId"}::uuid IS NULL
    OR (${fragment(by)}, w.id) ${beyond} (${"afterValue"}::${fragment(type)}, ${"afterId"}))
ORDER BY ${fragment(by)} ${direction}, w.id ${direction}
LIMIT ${"limit"}`;
}

const key = ({ sort, order, trash }: Order): string => `${sort} ${order} ${trash}`;

const pages = <Row extends object>(form: Form) =>
  new Map(
    (Object.keys(SORTS) as ListFilter["sort"][]).flatMap((sort) =>
      (["asc", "desc"] as const).flatMap((order) =>
        (Object.keys(TRASH) as ListFilter["trash"][]).map(
          (trash) => [key({ sort, order, trash }), page<Row>(form, { sort, order, trash })] as const,
        ),
      ),
    ),
  );

/** @public Found by the test that prepares every statement. */
export const listWorkspaces = pages<ViewRow>({ name: "list-workspaces", columns: viewColumns, tables: viewTables });

const stampColumns = fragment(`w.id, ${summaryStamp.sql}, u.username AS "ownerName"`);

/** @public Found by the test that prepares every statement. */
export const listStamps = pages<SummaryStamp>({ name: "list-stamps", columns: stampColumns, tables: viewTables });

function chosen<T>(statements: ReadonlyMap<string, T>, order: Order): T {
  const found = statements.get(key(order));
  if (found === undefined) {
    throw new RangeError(`Workspaces cannot be listed by ${key(order)}.`);
  }
  return found;
}

export const listWorkspacesBy = (order: Order) => chosen(listWorkspaces, order);
export const listStampsBy = (order: Order) => chosen(listStamps, order);

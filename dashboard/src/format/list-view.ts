import type { Listed, Phase } from "@codehub/contract";

/** Which workspaces the list shows and in which order. Pure, so that a thousand rows can be reasoned about in a test. */
export const filters = ["all", "running", "standby", "archived", "busy", "attention"] as const;
export type Filter = (typeof filters)[number];
export const sorts = ["activity", "name", "status", "size", "created"] as const;
export type Sort = (typeof sorts)[number];

export interface View {
  readonly search: string;
  readonly filter: Filter;
  readonly sort: Sort;
  readonly descending: boolean;
}

export const startsDescending: Readonly<Record<Sort, boolean>> = {
  activity: true,
  name: false,
  status: false,
  size: true,
  created: true,
};
export const firstView: View = { search: "", filter: "all", sort: "activity", descending: true };

/** The view that an address asks for. What it does not say, or says wrongly, is as on the first visit. */
export function viewOf(query: string): View {
  const asked = new URLSearchParams(query);
  const sort = sorts.find((name) => name === asked.get("sort")) ?? firstView.sort;
  return {
    search: asked.get("q") ?? "",
    filter: filters.find((name) => name === asked.get("show")) ?? firstView.filter,
    sort,
    descending: descendingOf(asked, startsDescending[sort]),
  };
}

/** The query of a view, without what goes without saying. */
export const queryOf = ({ search, filter, sort, descending }: View): string =>
  shortQuery({
    q: search,
    show: filter === firstView.filter ? "" : filter,
    sort: sort === firstView.sort ? "" : sort,
    order: orderOf(descending, startsDescending[sort]),
  });

export function descendingOf(asked: URLSearchParams, otherwise: boolean): boolean {
  const order = asked.get("order");
  return order === "asc" || order === "desc" ? order === "desc" : otherwise;
}
export const orderOf = (descending: boolean, otherwise: boolean): string =>
  descending === otherwise ? "" : descending ? "desc" : "asc";

/** With its question mark; nothing of nothing. */
export function shortQuery(parts: Readonly<Record<string, string>>): string {
  const said = new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== "")).toString();
  return said === "" ? "" : `?${said}`;
}

const moving = (workspace: Listed) =>
  workspace.operation !== "NONE" ||
  (workspace.phase !== "ERROR" && workspace.phase !== workspace.desired_state && workspace.deleted_at === null);

const passes: Readonly<Record<Filter, (workspace: Listed) => boolean>> = {
  all: () => true,
  running: (workspace) => workspace.phase === "RUNNING",
  standby: (workspace) => workspace.phase === "STANDBY",
  archived: (workspace) => workspace.phase === "ARCHIVED" || workspace.phase === "PENDING",
  busy: moving,
  attention: (workspace) => workspace.phase === "ERROR" || workspace.safety.level === "at_risk",
};

const rank: Readonly<Record<Phase, number>> = {
  ERROR: 0,
  RUNNING: 1,
  STANDBY: 2,
  ARCHIVED: 3,
  PENDING: 4,
  DELETING: 5,
  DELETED: 6,
};

const compare: Readonly<Record<Sort, (a: Listed, b: Listed) => number>> = {
  activity: (a, b) => (a.last_access_at ?? a.created_at).localeCompare(b.last_access_at ?? b.created_at),
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: "base" }),
  status: (a, b) => rank[a.phase] - rank[b.phase],
  size: (a, b) => (a.home_bytes ?? -1) - (b.home_bytes ?? -1),
  created: (a, b) => a.created_at.localeCompare(b.created_at),
};

/** By word, the workspaces in whose memo it was found: lists do not carry memos. */
export type FoundInMemo = ReadonlyMap<string, ReadonlySet<string>>;

export const wordsOf = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

function matches(workspace: Listed, words: readonly string[], found: FoundInMemo) {
  const haystack = `${workspace.name} ${workspace.description ?? ""}`.toLowerCase();
  return words.every((word) => haystack.includes(word) || found.get(word)?.has(workspace.id) === true);
}

/** Pinned ones stand above all others, whatever the order. */
export function visible(
  workspaces: Iterable<Listed>,
  view: View,
  found: FoundInMemo,
  pins: ReadonlySet<string> = new Set(),
): Listed[] {
  const words = wordsOf(view.search);
  const direction = view.descending ? -1 : 1;
  return [...workspaces]
    .filter(
      (workspace) =>
        workspace.deleted_at === null && passes[view.filter](workspace) && matches(workspace, words, found),
    )
    .sort(
      (a, b) =>
        Number(pins.has(b.id)) - Number(pins.has(a.id)) ||
        compare[view.sort](a, b) * direction ||
        a.id.localeCompare(b.id),
    );
}

export function countsOf(workspaces: Iterable<Listed>): Record<Filter, number> {
  const counts = { all: 0, running: 0, standby: 0, archived: 0, busy: 0, attention: 0 };
  for (const workspace of workspaces) {
    if (workspace.deleted_at !== null) continue;
    for (const filter of filters) if (passes[filter](workspace)) counts[filter] += 1;
  }
  return counts;
}

/** Which rows of equal height are on the screen, and a few around them so that fast scrolling shows no holes. */
export function windowOf(
  total: number,
  rowHeight: number,
  listTop: number,
  viewTop: number,
  viewHeight: number,
  spare = 6,
): { first: number; last: number } {
  const first = Math.floor((viewTop - listTop) / rowHeight) - spare;
  const last = Math.ceil((viewTop + viewHeight - listTop) / rowHeight) + spare;
  return { first: Math.min(Math.max(0, first), total), last: Math.min(total, Math.max(0, last)) };
}

/** Of two rows and everything in between, the ids, whichever of the two comes first. */
export function between(rows: readonly { readonly id: string }[], from: string, to: string): string[] {
  const a = rows.findIndex(({ id }) => id === from);
  const b = rows.findIndex(({ id }) => id === to);
  if (a === -1 || b === -1) return [to];
  return rows.slice(Math.min(a, b), Math.max(a, b) + 1).map(({ id }) => id);
}

/** Whose it is, where it is somebody else's. */
export const otherOwner = ({ owner }: Pick<Listed, "owner">, me: string): string | null =>
  owner === null || owner.username === me ? null : owner.username;

/** Where rows that have the same name one after the other begin. */
export function groupsOf<T, G extends { readonly name: string }>(
  rows: readonly T[],
  groupOf: (row: T) => G,
): (G & { readonly at: number })[] {
  const groups: (G & { readonly at: number })[] = [];
  for (const [at, row] of rows.entries()) {
    const group = groupOf(row);
    if (groups.at(-1)?.name !== group.name) groups.push({ ...group, at });
  }
  return groups;
}

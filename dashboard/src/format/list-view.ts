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

export function visible(workspaces: Iterable<Listed>, view: View, found: FoundInMemo): Listed[] {
  const words = wordsOf(view.search);
  const direction = view.descending ? -1 : 1;
  return [...workspaces]
    .filter(
      (workspace) =>
        workspace.deleted_at === null && passes[view.filter](workspace) && matches(workspace, words, found),
    )
    .sort((a, b) => compare[view.sort](a, b) * direction || a.id.localeCompare(b.id));
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

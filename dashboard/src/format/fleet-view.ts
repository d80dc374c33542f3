import { type Phase, phases, type sortKeys } from "@codehub/contract";
import { descendingOf, orderOf, shortQuery } from "./list-view.ts";

/** Which of everybody's workspaces an administrator sees. The server chooses, sorts and pages; nobody reads all of them. */
export interface FleetView {
  readonly search: string;
  readonly phase: Phase | "";
  /** A user's id. */
  readonly owner: string;
  readonly byOwner: boolean;
  readonly sort: FleetSort;
  readonly descending: boolean;
  /** Where the page begins: the server's word. */
  readonly after: string;
}
export type FleetSort = Exclude<(typeof sortKeys)[number], "owner" | "updated_at">;
export const fleetSortWords: Readonly<Record<FleetSort, string>> = {
  last_access_at: "Last activity",
  name: "Name",
  phase: "Status",
  created_at: "Created",
};
export const fleetDescending = (sort: FleetSort): boolean => sort === "last_access_at" || sort === "created_at";
const sorts = Object.keys(fleetSortWords) as FleetSort[];

export function fleetOf(query: string): FleetView {
  const asked = new URLSearchParams(query);
  const sort = sorts.find((name) => name === asked.get("sort")) ?? "last_access_at";
  return {
    search: asked.get("q") ?? "",
    phase: phases.find((name) => name === asked.get("phase")) ?? "",
    owner: asked.get("owner") ?? "",
    byOwner: asked.get("group") === "owner",
    sort,
    descending: descendingOf(asked, fleetDescending(sort)),
    after: asked.get("after") ?? "",
  };
}

export const fleetQuery = ({ search, phase, owner, byOwner, sort, descending, after }: FleetView): string =>
  shortQuery({
    ...{ q: search, phase, owner, group: byOwner ? "owner" : "" },
    ...{ sort: sort === "last_access_at" ? "" : sort, order: orderOf(descending, fleetDescending(sort)), after },
  });

/** As the API is asked; one page. */
export function fleetAsk(view: FleetView) {
  const { q, phase } = fleetMatching(view);
  return {
    owner: view.owner === "" ? "all" : view.owner,
    limit: 100,
    ...(view.byOwner
      ? { sort: "owner" as const, order: "asc" as const }
      : { sort: view.sort, order: view.descending ? ("desc" as const) : ("asc" as const) }),
    ...(q === undefined ? {} : { q }),
    ...(phase === undefined ? {} : { phase }),
    ...(view.after === "" ? {} : { cursor: view.after }),
  };
}

/** What a workspace has to be like, whoever has it. */
export const fleetMatching = ({ search, phase }: FleetView): { q?: string; phase?: Phase } => ({
  ...(search.trim() === "" ? {} : { q: search.trim().slice(0, 200) }),
  ...(phase === "" ? {} : { phase }),
});

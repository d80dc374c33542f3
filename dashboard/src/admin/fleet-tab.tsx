import { type Listed, listed, type OwnerList, phases } from "@codehub/contract";
import { useMemo, useState } from "react";
import { api } from "../api.ts";
import {
  type FleetView,
  fleetAsk,
  fleetDescending,
  fleetMatching,
  fleetOf,
  fleetQuery,
  fleetSortWords,
} from "../format/fleet-view.ts";
import { count, counted } from "../format/format.ts";
import { before, stepped, wayOf } from "../format/way.ts";
import { useAddressView } from "../hooks/address-view.ts";
import { useKept } from "../hooks/kept.ts";
import { useSearch } from "../hooks/router.ts";
import { askAhead, useQuery } from "../hooks/use-query.ts";
import { useLive } from "../live/store.ts";
import { NotThere } from "../not-there.tsx";
import { useSession } from "../session.tsx";
import { Empty } from "../ui/basics.tsx";
import { Turn } from "../ui/pager.tsx";
import { phaseLook } from "../words/words.ts";
import { BulkBar } from "../workspace/bulk-bar.tsx";
import { ListTools, Order, SearchField } from "../workspace/list-tools.tsx";
import { WorkspaceTable } from "../workspace/table.tsx";

const nobody: ReadonlySet<string> = new Set();

function Tools({ owners, found }: { owners: OwnerList["items"]; found: number | null }) {
  const { view, choose, type, settle } = useAddressView(fleetOf, fleetQuery);
  const change = (over: Partial<FleetView>) => choose({ ...view, after: "", ...over });
  return (
    <ListTools>
      <SearchField
        label="Search all workspaces"
        placeholder="Search name, description or memo"
        value={view.search}
        onType={type}
        onLeave={settle}
      />
      <select
        aria-label="Phase"
        className="field w-auto max-lg:max-w-32"
        value={view.phase}
        onChange={(event) => change({ phase: phases.find((name) => name === event.target.value) ?? "" })}
      >
        <option value="">Every phase</option>
        {phases.map((name) => (
          <option key={name} value={name}>
            {phaseLook[name].word}
          </option>
        ))}
      </select>
      <select
        aria-label="Owner"
        className="field w-auto max-w-48 max-lg:max-w-32"
        value={view.owner}
        onChange={(event) => change({ owner: event.target.value })}
      >
        <option value="">Everybody</option>
        {view.owner !== "" && !owners.some(({ id }) => id === view.owner) && <option value={view.owner}>…</option>}
        {owners.map(({ id, username, workspaces }) => (
          <option key={id} value={id}>
            {`${username} (${count(workspaces)})`}
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-pressed={view.byOwner}
        className={`btn ${view.byOwner ? "border-accent bg-accent-soft text-accent" : ""}`}
        onClick={() => change({ byOwner: !view.byOwner })}
      >
        By owner
      </button>
      <p role="status" className="text-[13px] text-ink-3 tabular-nums lg:ml-auto">
        {found !== null && `${count(found)} found`}
      </p>
      {!view.byOwner && (
        <Order
          words={fleetSortWords}
          sort={view.sort}
          descending={view.descending}
          onSort={(sort) => change({ sort, descending: fleetDescending(sort) })}
          onTurn={() => change({ descending: !view.descending })}
        />
      )}
    </ListTools>
  );
}

function Pages({ view, next, loading }: { view: FleetView; next: string | null; loading: boolean }) {
  const { choose } = useAddressView(fleetOf, fleetQuery);
  // Kept by the tab: a page that is loaded again is still the third one.
  const [way, walk] = useKept(useSession().session.user.id, "pages of all workspaces", wayOf);
  // Whoever has just turned back to the first page has the focus here.
  const turned = loading && Object.keys(way).length > 0;
  if (view.after === "" && next === null && !turned) return null;
  const back = before(way, fleetQuery(view));
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
      <Turn
        label={view.after !== "" && back === null ? "First page" : "Previous"}
        possible={view.after !== ""}
        onTurn={() => choose({ ...view, after: back ?? "" })}
      />
      <Turn
        label="Next"
        possible={next !== null}
        onTurn={() => {
          const there = { ...view, after: next ?? "" };
          walk((now) => stepped(now, view.after, fleetQuery(there)));
          choose(there);
        }}
      />
    </nav>
  );
}

const keyOf = (query: string) => `fleet ${query}`;
const ask = (view: FleetView) => api.listWorkspaces({ query: fleetAsk(view) });

/** What the page will show is asked for before anything is drawn. */
export const askFleetAhead = (query: string): void => askAhead(keyOf(query), () => ask(fleetOf(query)));

/** Everybody's workspaces, asked for page by page: an administrator looks for one, nobody reads all. */
export function FleetTab() {
  // What is being typed is asked for when it is in the address.
  const query = useSearch();
  const view = useMemo(() => fleetOf(query), [query]);
  const [selection, setSelection] = useState(nobody);
  // What was asked here has an effect there as soon as it is answered.
  const asking = useLive((state) => state.pending.size);
  const list = useQuery(keyOf(query), () => ask(view), { repeatMs: 5000, refreshOn: asking });
  const matching = fleetMatching(view);
  const owners = useQuery(`owners ${JSON.stringify(matching)}`, () => api.listOwners({ query: matching }), {
    refreshOn: `${list.data?.total} ${list.error === null}`,
  });
  const rows = useMemo(() => (list.data?.items ?? []).map(listed), [list.data]);
  const selected = useMemo(() => rows.filter(({ id }) => selection.has(id)), [rows, selection]);
  const found = owners.data?.items ?? [];
  const countOf = new Map(found.map(({ username, workspaces }) => [username, workspaces]));
  const groupOf = ({ owner }: Listed, me: string) => {
    const name = owner?.username ?? me;
    const all = countOf.get(name);
    return { name, count: all === undefined ? "" : counted(all, "workspace") };
  };
  return (
    <>
      <Tools owners={found} found={list.data?.total ?? null} />
      <NotThere query={list} title="The list cannot be loaded" loading="Loading everybody's workspaces" />
      {list.data !== null && rows.length === 0 && (
        <div className="card">
          <Empty icon="search" title="Nothing found">
            No workspace of any user fits.
          </Empty>
        </div>
      )}
      {rows.length > 0 && (
        <WorkspaceTable
          rows={rows}
          selection={selection}
          onSelect={setSelection}
          groupOf={view.byOwner ? groupOf : null}
        />
      )}
      <Pages view={view} next={list.data?.next_cursor ?? null} loading={list.loading} />
      {selected.length > 0 && <BulkBar selected={selected} onClear={() => setSelection(nobody)} />}
    </>
  );
}

import { type Listed, listed, type OwnerList, phases } from "@codehub/contract";
import { useMemo, useState } from "react";
import { api, problemText } from "../api.ts";
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
import { useAddressView } from "../hooks/address-view.ts";
import { useSearch } from "../hooks/router.ts";
import { askAhead, useQuery } from "../hooks/use-query.ts";
import { useLive } from "../live/store.ts";
import { Empty, Notice, Spinner } from "../ui/basics.tsx";
import { phaseLook } from "../words/words.ts";
import { BulkBar } from "../workspace/bulk-bar.tsx";
import { ListTools, Order, SearchField } from "../workspace/list-tools.tsx";
import { WorkspaceTable } from "../workspace/table.tsx";

const nobody: ReadonlySet<string> = new Set();
/** From where each page was come to, by where it begins: the server pages forwards only. */
const cameFrom = new Map<string, string>();

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

function Pages({ view, next }: { view: FleetView; next: string | null }) {
  const { choose } = useAddressView(fleetOf, fleetQuery);
  if (view.after === "" && next === null) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
      <button
        type="button"
        className="btn btn-small"
        disabled={view.after === ""}
        onClick={() => choose({ ...view, after: cameFrom.get(view.after) ?? "" })}
      >
        Previous
      </button>
      <button
        type="button"
        className="btn btn-small"
        disabled={next === null}
        onClick={() => {
          if (next === null) return;
          cameFrom.set(next, view.after);
          choose({ ...view, after: next });
        }}
      >
        Next
      </button>
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
    refreshOn: list.data?.total ?? 0,
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
      {list.error !== null && (
        <div className="mb-4">
          <Notice tone="error" title="The list cannot be loaded" live>
            {problemText(list.error)}
          </Notice>
        </div>
      )}
      {list.data === null && list.error === null && <Spinner label="Loading" />}
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
      <Pages view={view} next={list.data?.next_cursor ?? null} />
      {selected.length > 0 && <BulkBar selected={selected} onClear={() => setSelection(nobody)} />}
    </>
  );
}

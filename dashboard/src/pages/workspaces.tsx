import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { problemText } from "../api.ts";
import { count, counted } from "../format/format.ts";
import {
  countsOf,
  type Filter,
  filters,
  queryOf,
  type Sort,
  startsDescending,
  viewOf,
  visible,
} from "../format/list-view.ts";
import { useFoundInMemos } from "../found-in-memos.ts";
import { useAddressView } from "../hooks/address-view.ts";
import { usePins } from "../hooks/pins.ts";
import { useLive } from "../live/store.ts";
import { NotLoaded } from "../not-loaded.tsx";
import { useSession } from "../session.tsx";
import { Empty, Notice, Page, Spinner } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { BulkBar } from "../workspace/bulk-bar.tsx";
import { ListTools, Order, SearchField } from "../workspace/list-tools.tsx";
import { RunningCount } from "../workspace/running-count.tsx";
import { WorkspaceTable } from "../workspace/table.tsx";
import { Welcome } from "./welcome.tsx";

const filterWords: Readonly<Record<Filter, string>> = {
  all: "All",
  running: "Running",
  standby: "Standby",
  archived: "Archived",
  busy: "In motion",
  attention: "Needs attention",
};
const sortWords: Readonly<Record<Sort, string>> = {
  activity: "Last activity",
  name: "Name",
  status: "Status",
  size: "Home size",
  created: "Created",
};

const Filters = ({
  chosen,
  counts,
  onChoose,
}: {
  chosen: Filter;
  counts: Record<Filter, number>;
  onChoose: (filter: Filter) => void;
}) => (
  <fieldset className="order-last -mx-4 flex min-w-full gap-1.5 overflow-x-auto px-4 py-0.5 lg:order-none lg:mx-0 lg:min-w-0 lg:flex-1 lg:px-0.5">
    <legend className="sr-only">Show</legend>
    {filters
      .filter((filter) => filter === "all" || counts[filter] > 0 || filter === chosen)
      .map((filter) => (
        <button
          key={filter}
          type="button"
          aria-pressed={chosen === filter}
          onClick={() => onChoose(filter)}
          className={`min-h-8 rounded-full border px-3 text-[13px] font-medium whitespace-nowrap ${
            chosen === filter
              ? "border-accent bg-accent-soft text-accent"
              : "border-line bg-surface text-ink-2 hover:border-line-strong"
          }`}
        >
          {filterWords[filter]} <span className="tabular-nums">{count(counts[filter])}</span>
        </button>
      ))}
  </fieldset>
);

export function Workspaces() {
  const loaded = useLive((state) => state.loaded);
  const workspaces = useLive((state) => state.workspaces);
  const { view, choose, type, settle } = useAddressView(viewOf, queryOf);
  const [pins, pin] = usePins(useSession().session.user.id);
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    document.title = "Workspaces · CodeHub";
  }, []);

  // Typing stays immediate with a thousand rows: the list follows when there is time. Only typing comes that fast; an
  // order or filter that was chosen is shown at once, or a busy list could be read in an order that nobody asked for.
  const search = useDeferredValue(view.search);
  const { found, looking, error } = useFoundInMemos(search);
  const rows = useMemo(
    () => visible(workspaces.values(), { ...view, search }, found, pins),
    [workspaces, view, search, found, pins],
  );
  const counts = useMemo(() => countsOf(workspaces.values()), [workspaces]);
  const selected = useMemo(() => rows.filter(({ id }) => selection.has(id)), [rows, selection]);

  if (!loaded) {
    return (
      <Page tight title="Workspaces">
        <NotLoaded />
      </Page>
    );
  }
  if (counts.all === 0) return <Welcome />;
  return (
    <Page
      tight
      title="Workspaces"
      actions={
        <>
          <RunningCount />
          <button type="button" className="btn btn-primary" onClick={() => showOverlay({ kind: "create" })}>
            <Icon name="plus" /> New workspace
          </button>
        </>
      }
    >
      <ListTools>
        <SearchField
          label="Search workspaces"
          placeholder="Search name or memo"
          value={view.search}
          onType={type}
          onLeave={settle}
        />
        <Filters chosen={view.filter} counts={counts} onChoose={(filter) => choose({ ...view, filter })} />
        <Order
          words={sortWords}
          sort={view.sort}
          descending={view.descending}
          onSort={(sort) => choose({ ...view, sort, descending: startsDescending[sort] })}
          onTurn={() => choose({ ...view, descending: !view.descending })}
        />
      </ListTools>
      <p role="status" className="sr-only">
        {count(rows.length)} of {counted(counts.all, "workspace")}
      </p>
      {error !== null && (
        <div className="mb-4">
          <Notice tone="warning" title="Memos could not be searched" live>
            {problemText(error)} Names and descriptions are searched all the same.
          </Notice>
        </div>
      )}
      {rows.length === 0 && looking && <Spinner label="Searching memos" />}
      {rows.length === 0 && !looking && (
        <div className="card">
          <Empty
            icon="search"
            title="Nothing matches"
            action={
              <button type="button" className="btn" onClick={() => choose({ ...view, search: "", filter: "all" })}>
                Show all workspaces
              </button>
            }
          >
            No workspace of yours fits this search and filter.
          </Empty>
        </div>
      )}
      {rows.length > 0 && (
        <WorkspaceTable rows={rows} selection={selection} onSelect={setSelection} pins={pins} onPin={pin} />
      )}
      {selected.length > 0 && <BulkBar selected={selected} onClear={() => setSelection(new Set())} />}
    </Page>
  );
}

import type { Listed } from "@codehub/contract";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { requestAll } from "../actions.ts";
import { problemText } from "../api.ts";
import { count, counted } from "../format/format.ts";
import { countsOf, type Filter, filters, type Sort, sorts, type View, visible } from "../format/list-view.ts";
import { useFoundInMemos } from "../found-in-memos.ts";
import { useLive } from "../live/store.ts";
import { Empty, Notice, Page, Spinner } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { showOverlay } from "../ui/overlay.ts";
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
const startsDescending: Readonly<Record<Sort, boolean>> = {
  activity: true,
  name: false,
  status: false,
  size: true,
  created: true,
};

const Toolbar = ({
  view,
  counts,
  onChange,
}: {
  view: View;
  counts: Record<Filter, number>;
  onChange: (view: View) => void;
}) => (
  <div className="mb-4 flex flex-col gap-3 lg:flex-row lg:items-center">
    <div className="relative lg:w-72">
      <Icon name="search" className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-3" />
      <input
        type="search"
        aria-label="Search workspaces"
        placeholder="Search name or memo"
        className="field pl-9"
        value={view.search}
        onChange={(event) => onChange({ ...view, search: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") document.querySelector<HTMLElement>("[data-name-link]")?.focus();
        }}
      />
    </div>
    <fieldset className="-mx-4 flex min-w-0 gap-1.5 overflow-x-auto px-4 py-1 lg:mx-0 lg:flex-1 lg:px-0">
      <legend className="sr-only">Show</legend>
      {filters
        .filter((filter) => filter === "all" || counts[filter] > 0 || filter === view.filter)
        .map((filter) => (
          <button
            key={filter}
            type="button"
            aria-pressed={view.filter === filter}
            onClick={() => onChange({ ...view, filter })}
            className={`min-h-8 rounded-full border px-3 text-[13px] font-medium whitespace-nowrap ${
              view.filter === filter
                ? "border-accent bg-accent-soft text-accent"
                : "border-line bg-surface text-ink-2 hover:border-line-strong"
            }`}
          >
            {filterWords[filter]} <span className="tabular-nums">{counts[filter]}</span>
          </button>
        ))}
    </fieldset>
    <div className="flex items-center gap-1.5">
      <label className="flex flex-1 items-center gap-2 text-[13px] whitespace-nowrap text-ink-2">
        Sort by
        <select
          className="field w-auto flex-1"
          value={view.sort}
          onChange={(event) => {
            const sort = sorts.find((name) => name === event.target.value) ?? "activity";
            onChange({ ...view, sort, descending: startsDescending[sort] });
          }}
        >
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {sortWords[sort]}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        className="btn btn-icon"
        aria-label={view.descending ? "Descending. Turn around." : "Ascending. Turn around."}
        onClick={() => onChange({ ...view, descending: !view.descending })}
      >
        <Icon name="sort" className={`size-4 ${view.descending ? "" : "rotate-180"}`} />
      </button>
    </div>
  </div>
);

function BulkBar({ selected, onClear }: { selected: readonly Listed[]; onClear: () => void }) {
  const ids = selected.map(({ id }) => id);
  const finish = (work: Promise<void>) => void work.then(onClear);
  return (
    <section
      aria-label="Selected workspaces"
      className="fixed inset-x-4 bottom-20 z-40 mx-auto flex max-w-fit animate-rise flex-wrap items-center justify-center gap-2 rounded-2xl border border-line bg-surface px-4 py-2.5 shadow-float sm:bottom-6"
    >
      <span role="status" className="px-1 text-sm font-semibold">
        {count(selected.length)} selected
      </span>
      <button type="button" className="btn btn-small" onClick={() => finish(requestAll(ids, "RUNNING"))}>
        <Icon name="play" /> Start
      </button>
      <button type="button" className="btn btn-small" onClick={() => finish(requestAll(ids, "STANDBY"))}>
        <Icon name="pause" /> Stop
      </button>
      <button type="button" className="btn btn-small" onClick={() => finish(requestAll(ids, "ARCHIVED"))}>
        <Icon name="archive" /> Archive
      </button>
      <button
        type="button"
        className="btn btn-small text-error"
        onClick={() => showOverlay({ kind: "delete", workspaces: selected })}
      >
        <Icon name="trash" /> Delete
      </button>
      <button type="button" className="btn btn-quiet btn-small" onClick={onClear}>
        Clear
      </button>
    </section>
  );
}

export function Workspaces() {
  const loaded = useLive((state) => state.loaded);
  const workspaces = useLive((state) => state.workspaces);
  const lost = useLive((state) => state.connection.status === "lost");
  const [view, setView] = useState<View>({ search: "", filter: "all", sort: "activity", descending: true });
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    document.title = "Workspaces · CodeHub";
  }, []);

  // Typing stays immediate with a thousand rows: the list follows when there is time. Only typing comes that fast; an
  // order or filter that was chosen is shown at once, or a busy list could be read in an order that nobody asked for.
  const search = useDeferredValue(view.search);
  const { found, looking, error } = useFoundInMemos(search);
  const rows = useMemo(
    () => visible(workspaces.values(), { ...view, search }, found),
    [workspaces, view, search, found],
  );
  const counts = useMemo(() => countsOf(workspaces.values()), [workspaces]);
  const selected = useMemo(() => rows.filter(({ id }) => selection.has(id)), [rows, selection]);

  if (!loaded) {
    return lost ? (
      <Notice tone="error" title="The workspaces cannot be loaded" live>
        The server does not answer. This page goes on trying by itself.
      </Notice>
    ) : (
      <Spinner label="Loading workspaces" />
    );
  }
  if (counts.all === 0) return <Welcome />;
  return (
    <Page
      title="Workspaces"
      intro="Opening one wakes it. An idle one stops by itself, is archived later, and its home stays safe."
      actions={
        <>
          <RunningCount />
          <button type="button" className="btn btn-primary" onClick={() => showOverlay({ kind: "create" })}>
            <Icon name="plus" /> New workspace
          </button>
        </>
      }
    >
      <Toolbar view={view} counts={counts} onChange={setView} />
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
              <button type="button" className="btn" onClick={() => setView({ ...view, search: "", filter: "all" })}>
                Show all workspaces
              </button>
            }
          >
            No workspace of yours fits this search and filter.
          </Empty>
        </div>
      )}
      {rows.length > 0 && <WorkspaceTable rows={rows} selection={selection} onSelect={setSelection} />}
      {selected.length > 0 && (
        <>
          {/* The bar floats above the page; the last row can be scrolled out from under it. */}
          <div className="h-36 sm:h-20" />
          <BulkBar selected={selected} onClear={() => setSelection(new Set())} />
        </>
      )}
    </Page>
  );
}

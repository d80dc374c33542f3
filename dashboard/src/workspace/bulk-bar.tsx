import type { Listed } from "@codehub/contract";
import { requestAll } from "../actions.ts";
import { count } from "../format/format.ts";
import { otherOwner } from "../format/list-view.ts";
import { useSession } from "../session.tsx";
import { Icon } from "../ui/icons.tsx";
import { showOverlay } from "../ui/overlay.ts";

/** Floats above the page while something is selected. `b` leads here from the list, and Escape back. */
export function BulkBar({ selected, onClear }: { selected: readonly Listed[]; onClear: () => void }) {
  const me = useSession().session.user.username;
  const ask = (desired: "RUNNING" | "STANDBY" | "ARCHIVED") => void requestAll(selected, desired, me).then(onClear);
  // Nobody starts what is not theirs.
  const own = selected.every((workspace) => otherOwner(workspace, me) === null);
  return (
    <>
      {/* The last row can be scrolled out from under it. */}
      <div className="h-36 sm:h-20" />
      <section
        aria-label="Selected workspaces"
        data-bulk-bar
        className="fixed inset-x-4 bottom-20 z-40 mx-auto flex max-w-fit animate-rise flex-wrap items-center justify-center gap-2 rounded-2xl border border-line bg-surface px-4 py-2.5 shadow-float sm:bottom-6"
        onKeyDown={(event) => {
          if (event.key === "Escape") onClear();
        }}
      >
        <span role="status" className="px-1 text-sm font-semibold">
          {count(selected.length)} selected
        </span>
        {own && (
          <button type="button" className="btn btn-small" onClick={() => ask("RUNNING")}>
            <Icon name="play" /> Start
          </button>
        )}
        <button type="button" className="btn btn-small" onClick={() => ask("STANDBY")}>
          <Icon name="pause" /> Stop
        </button>
        <button type="button" className="btn btn-small" onClick={() => ask("ARCHIVED")}>
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
    </>
  );
}

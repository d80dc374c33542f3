// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out as a grid, which takes a real table's meaning away.
// biome-ignore-all lint/a11y/useFocusableInteractive: the links and buttons inside the cells take the focus.
import type { Listed } from "@codehub/contract";
import { type KeyboardEvent, useCallback, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { windowOf } from "../format/list-view.ts";
import { useShortcutsSetting } from "../hooks/shortcuts.ts";
import { useMedia } from "../hooks/use-media.ts";
import { TableRow } from "./table-row.tsx";

/** Every row has the same height, so that where a row is needs no measuring: a thousand rows cost what thirty cost. */
const rowHeights = { wide: 80, narrow: 216 } as const;

function useWindow(total: number, rowHeight: number) {
  const list = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 30 });
  const measure = useCallback(() => {
    const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    const next = windowOf(total, rowHeight, top, window.scrollY, window.innerHeight);
    setRange((old) => (old.first === next.first && old.last === next.last ? old : next));
  }, [total, rowHeight]);
  useLayoutEffect(() => {
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    return () => {
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [measure]);
  return { list, measure, ...range };
}

const headings = ["Workspace", "Status", "Now and next", "Last activity", "Home"] as const;

export function WorkspaceTable({
  rows,
  selection,
  onSelect,
}: {
  rows: readonly Listed[];
  selection: ReadonlySet<string>;
  onSelect: (selection: ReadonlySet<string>) => void;
}) {
  const wide = useMedia("(min-width: 64rem)");
  const [letters] = useShortcutsSetting();
  const rowHeight = wide ? rowHeights.wide : rowHeights.narrow;
  const { list, measure, first, last } = useWindow(rows.length, rowHeight);

  const toggle = useCallback(
    (id: string) => {
      const next = new Set(selection);
      if (!next.delete(id)) next.add(id);
      onSelect(next);
    },
    [selection, onSelect],
  );
  const allSelected = rows.every(({ id }) => selection.has(id));

  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    // The button of a menu takes the arrows itself.
    if (event.defaultPrevented) return;
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-row]") : null;
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const workspace = rows[Number(row.dataset["row"])];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const target = Number(row.dataset["row"]) + step;
      if (rows[target] === undefined) return;
      const link = () => list.current?.querySelector<HTMLElement>(`[data-row="${target}"] [data-name-link]`);
      // Keys can be faster than the scroll events that draw more rows: then the row is drawn here, so that no key is lost.
      if (link() === null) {
        window.scrollBy({ top: step * rowHeight, behavior: "instant" });
        flushSync(measure);
      }
      link()?.focus();
    } else if (letters === "on" && event.key === "x" && workspace !== undefined) {
      event.preventDefault();
      toggle(workspace.id);
    } else if (letters === "on" && event.key === "o") {
      event.preventDefault();
      row.querySelector<HTMLElement>("[data-open-link]")?.click();
    }
  };

  return (
    <div role="table" aria-label="Workspaces" aria-rowcount={rows.length + 1} className="card relative">
      <div role="rowgroup">
        <div
          role="row"
          aria-rowindex={1}
          className="table-grid min-h-11 border-b border-line px-4 text-[13px] font-medium text-ink-3"
        >
          <span role="columnheader" className="flex items-center">
            <input
              type="checkbox"
              aria-label="Select all that are listed"
              className="size-4 accent-accent-fill"
              checked={allSelected}
              onChange={() => onSelect(allSelected ? new Set() : new Set(rows.map(({ id }) => id)))}
            />
          </span>
          {headings.map((heading) => (
            <span key={heading} role="columnheader" className={wide || heading === "Workspace" ? "" : "sr-only"}>
              {heading}
            </span>
          ))}
          <span role="columnheader" className="sr-only">
            Actions
          </span>
        </div>
      </div>
      <div
        ref={list}
        role="rowgroup"
        onKeyDown={move}
        className="relative"
        style={{ height: `${rows.length * rowHeight}px` }}
      >
        {rows.slice(first, last).map((workspace, offset) => (
          <TableRow
            key={workspace.id}
            workspace={workspace}
            index={first + offset}
            height={rowHeight}
            selected={selection.has(workspace.id)}
            onToggle={toggle}
          />
        ))}
      </div>
    </div>
  );
}

// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out as a grid, which takes a real table's meaning away.
// biome-ignore-all lint/a11y/useFocusableInteractive: the links and buttons inside the cells take the focus.
import type { Listed } from "@codehub/contract";
import { type KeyboardEvent, useCallback, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { between, groupsOf, otherOwner, windowOf } from "../format/list-view.ts";
import { useShortcutsSetting } from "../hooks/shortcuts.ts";
import { useMedia } from "../hooks/use-media.ts";
import { useSession } from "../session.tsx";
import { groupHeight, TableRow, Tick } from "./table-row.tsx";
import { useKeptFocus } from "./use-kept-focus.ts";

interface Group {
  readonly name: string;
  readonly count: string;
}
const none: ReadonlySet<string> = new Set();

/** Every row has the same height, so that where a row is needs no measuring: a thousand rows cost what thirty cost. */
const rowHeights = { wide: 40, narrow: 72 } as const;

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

const headings = [
  ["area-status", "Status"],
  ["area-now", "Now and next"],
  ["area-activity", "Last activity"],
  ["area-home", "Home"],
] as const;
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, J: 1, K: -1 };
const ends: Readonly<Record<string, number>> = { Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY };

export function WorkspaceTable({
  rows,
  selection,
  onSelect,
  pins = none,
  onPin = null,
  groupOf = null,
}: {
  rows: readonly Listed[];
  selection: ReadonlySet<string>;
  onSelect: (selection: ReadonlySet<string>) => void;
  pins?: ReadonlySet<string>;
  onPin?: ((id: string) => void) | null;
  /** Rows that come one after the other and have one name are under one heading. For pages of a list: all of it is drawn. */
  groupOf?: ((workspace: Listed, me: string) => Group) | null;
}) {
  const me = useSession().session.user.username;
  const wide = useMedia("(min-width: 64rem)");
  const [letters] = useShortcutsSetting();
  const rowHeight = wide ? rowHeights.wide : rowHeights.narrow;
  const { list, measure, ...seen } = useWindow(rows.length, rowHeight);
  const groups = groupOf === null ? [] : groupsOf(rows, (row) => groupOf(row, me));
  const { first, last } = groupOf === null ? seen : { first: 0, last: rows.length };
  const headingsAbove = (index: number) => groups.filter(({ at }) => at <= index).length;

  const focusRow = useCallback(
    (index: number) => {
      const link = () => list.current?.querySelector<HTMLElement>(`[data-row="${index}"] [data-name-link]`);
      // Keys can be faster than the scroll events that draw more rows: then the row is drawn here, so that no key is lost.
      if (link() === null) {
        const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY + index * rowHeight;
        window.scrollTo({ top: top - window.innerHeight / 2, behavior: "instant" });
        flushSync(measure);
      }
      link()?.focus();
    },
    [list, measure, rowHeight],
  );
  useKeptFocus(list, rows, selection, focusRow);

  /** From where a range goes: the last one that was chosen by itself. */
  const anchor = useRef<string | null>(null);
  const latest = useRef({ rows, selection });
  latest.current = { rows, selection };
  const toggle = useCallback(
    (id: string, range: boolean) => {
      const now = latest.current;
      const next = new Set(now.selection);
      if (range) for (const one of between(now.rows, anchor.current ?? id, id)) next.add(one);
      else if (!next.delete(id)) next.add(id);
      if (!range) anchor.current = id;
      onSelect(next);
    },
    [onSelect],
  );
  const allSelected = rows.every(({ id }) => selection.has(id));

  const step = (event: KeyboardEvent, from: number, workspace: Listed) => {
    const by = event.key.length > 1 || letters === "on" ? (steps[event.key] ?? ends[event.key]) : undefined;
    if (by === undefined) return false;
    const to = Math.min(rows.length - 1, Math.max(0, from + by));
    const target = rows[to];
    if (target === undefined) return true;
    if (event.shiftKey) {
      if (!selection.has(workspace.id)) anchor.current = workspace.id;
      anchor.current ??= workspace.id;
      onSelect(new Set([...selection, ...between(rows, anchor.current, target.id)]));
    }
    focusRow(to);
    return true;
  };
  const act = (event: KeyboardEvent, row: HTMLElement, workspace: Listed) => {
    const onLink = event.target instanceof Element && event.target.matches("[data-name-link]");
    if (event.key === " ") {
      if (onLink) toggle(workspace.id, event.shiftKey);
      return onLink;
    }
    if (event.key === "Escape" && selection.size > 0) {
      onSelect(new Set());
      return true;
    }
    if (letters === "off") return false;
    if (event.key === "x" || event.key === "X") toggle(workspace.id, event.shiftKey);
    else if (event.key === "o") row.querySelector<HTMLElement>("[data-open-link]")?.click();
    else if (event.key === "p" && onPin !== null) onPin(workspace.id);
    else if (event.key === "b") document.querySelector<HTMLElement>("[data-bulk-bar] button")?.focus();
    else return false;
    return true;
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    // The button of a menu takes the arrows itself.
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-row]") : null;
    const index = Number(row?.dataset["row"]);
    const workspace = rows[index];
    if (row === null || workspace === undefined) return;
    if (step(event, index, workspace) || act(event, row, workspace)) event.preventDefault();
  };

  return (
    <div
      role="table"
      aria-label="Workspaces"
      aria-rowcount={rows.length + groups.length + 1}
      className="card relative max-sm:-mx-2"
    >
      <div role="rowgroup" className="list-head rounded-t-xl bg-surface">
        <div
          role="row"
          aria-rowindex={1}
          className="table-grid h-9 border-b border-line px-2 text-[13px] font-medium text-ink-3"
        >
          <span role="columnheader" className="area-check">
            <Tick
              label="Select all that are listed"
              checked={allSelected}
              onChange={() => onSelect(allSelected ? new Set() : new Set(rows.map(({ id }) => id)))}
            />
          </span>
          <span role="columnheader" className="sr-only">
            Pin
          </span>
          <span role="columnheader" className="area-name">
            Workspace
          </span>
          {headings.map(([area, heading]) => (
            <span key={heading} role="columnheader" className={wide ? area : "sr-only"}>
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
        onKeyDown={press}
        className="relative"
        style={{ height: `${rows.length * rowHeight + groups.length * groupHeight}px` }}
      >
        {groups.map(({ name, count, at }, index) => (
          <div
            key={name}
            role="row"
            aria-rowindex={at + index + 2}
            className="absolute inset-x-0 flex items-center gap-2 border-b border-line bg-sunken px-4 text-[13px]"
            style={{ top: `${at * rowHeight + index * groupHeight}px`, height: `${groupHeight}px` }}
          >
            <span role="rowheader" className="font-semibold">
              {name}
            </span>
            <span role="cell" className="text-ink-3">
              {count}
            </span>
          </div>
        ))}
        {rows.slice(first, last).map((workspace, offset) => (
          <TableRow
            key={workspace.id}
            workspace={workspace}
            other={otherOwner(workspace, me)}
            index={first + offset}
            headings={headingsAbove(first + offset)}
            grouped={groupOf !== null}
            height={rowHeight}
            selected={selection.has(workspace.id)}
            pinned={pins.has(workspace.id)}
            onToggle={toggle}
            onPin={onPin}
          />
        ))}
      </div>
    </div>
  );
}

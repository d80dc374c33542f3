import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

interface Held {
  readonly id: string;
  readonly row: number;
  /** Which of the row's controls. */
  readonly control: number;
}

/** What belongs to the list without being in it: from there the focus comes back. */
const companions = "dialog, [role=menu], [data-bulk-bar], [data-messages]";
const controlsOf = (row: Element) => [...row.querySelectorAll<HTMLElement>("a, button, input")];

/**
 * A row that had the focus may be moved, changed or taken away, by others too. Then the browser leaves the focus nowhere; it is
 * given to the same control of the same row, or to the row that is at its place now. Who left the list is left alone.
 */
export function useKeptFocus(
  list: RefObject<HTMLElement | null>,
  rows: readonly { readonly id: string }[],
  selection: ReadonlySet<string>,
  focusRow: (index: number) => void,
): void {
  const held = useRef<Held | null>(null);
  useEffect(() => {
    const rowOf = (target: Element) =>
      list.current?.contains(target) === true ? target.closest<HTMLElement>("[data-row]") : null;
    const focused = ({ target }: Event) => {
      if (!(target instanceof HTMLElement)) return;
      const row = rowOf(target);
      if (row !== null) {
        const control = controlsOf(row).indexOf(target);
        held.current = { id: row.dataset["workspace"] ?? "", row: Number(row.dataset["row"]), control };
      } else if (target.closest(companions) === null) held.current = null;
    };
    const pressed = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest(companions) !== null) return;
      if (rowOf(target) === null || target.closest("a, button, label") === null) held.current = null;
    };
    document.addEventListener("focusin", focused);
    document.addEventListener("pointerdown", pressed);
    return () => {
      document.removeEventListener("focusin", focused);
      document.removeEventListener("pointerdown", pressed);
    };
  }, [list]);

  const drawn = useRef({ rows, selection });
  useLayoutEffect(() => {
    const was = held.current;
    const same = drawn.current.rows === rows && drawn.current.selection === selection;
    drawn.current = { rows, selection };
    if (was === null || document.activeElement !== document.body || rows.length === 0) return;
    if (same) {
      // Nothing has changed: it was scrolled away, and is not brought back against whoever scrolls.
      held.current = null;
      return;
    }
    const now = rows.findIndex(({ id }) => id === was.id);
    const row = list.current?.querySelector(`[data-workspace="${was.id}"]`);
    const control = now === -1 || row === null || row === undefined ? undefined : controlsOf(row)[was.control];
    if (control === undefined) focusRow(now === -1 ? Math.min(was.row, rows.length - 1) : now);
    else control.focus({ preventScroll: true });
  });
}

import { useEffect } from "react";
import { type Around, successor } from "./successor.ts";

const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
/** What belongs together on a page. */
const parts = "li, form, section, nav, header, dialog, main";
/** These see to it themselves where the focus goes: a list that is drawn in part, and what closes again. */
const others = "[data-row], [role=menu]";

export interface Bearings extends Around<HTMLElement> {
  readonly element: HTMLElement;
  /** The parts of the page it is in, the smallest first. */
  readonly parts: readonly Element[];
}

/** Where something is, while it is there. */
export function bearingsOf(element: HTMLElement): Bearings {
  const within = element.closest("dialog") ?? document;
  const all = [...within.querySelectorAll<HTMLElement>(controls)];
  const at = all.indexOf(element);
  const around: Element[] = [];
  for (let part = element.closest(parts); part !== null; part = part.parentElement?.closest(parts) ?? null)
    around.push(part);
  return { element, before: all.slice(0, Math.max(0, at)), after: all.slice(at + 1), parts: around };
}

const takesFocus = (element: HTMLElement): boolean => !element.matches(":disabled") && element.checkVisibility();

/** The same again, or what is at its place now; null while it only cannot be used. */
export function foundAgain({ element, parts: around, ...bearings }: Bearings): HTMLElement | null {
  if (element.isConnected) return takesFocus(element) ? element : null;
  const part = around.find(({ isConnected }) => isConnected);
  // What was in a dialog that is closed is the dialog's to give back.
  if (part === undefined || around.some((one) => one.matches("dialog") && !one.isConnected)) return null;
  const within = part.closest("dialog") ?? document;
  const now = [...within.querySelectorAll<HTMLElement>(controls)]
    .filter(takesFocus)
    .filter(({ tabIndex }) => tabIndex === 0);
  const next = successor(bearings, now, (one) => part.contains(one));
  // Nothing of its part is left: the page as a whole, as when it was opened.
  return part.contains(next) ? next : (part.closest<HTMLElement>("main") ?? next);
}

/**
 * A button that has done its work may be taken away, or can be used again only after an answer. Browsers leave the focus
 * nowhere then, and whoever works with the keyboard begins anew at the top of the page. Who clicked elsewhere left it.
 */
export function useLeftFocus(): void {
  useEffect(() => {
    let last: Bearings | null = null;
    const focused = ({ target }: Event) => {
      last = target instanceof HTMLElement && target.closest(others) === null ? bearingsOf(target) : null;
    };
    const pressed = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest(`${controls}, label`) === null) last = null;
    };
    const changed = new MutationObserver(() => {
      if (last === null || (document.activeElement ?? document.body) !== document.body) return;
      foundAgain(last)?.focus();
    });
    document.addEventListener("focusin", focused);
    document.addEventListener("pointerdown", pressed);
    changed.observe(document.body, { subtree: true, childList: true, attributeFilter: ["disabled"] });
    return () => {
      document.removeEventListener("focusin", focused);
      document.removeEventListener("pointerdown", pressed);
      changed.disconnect();
    };
  }, []);
}

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** So many steps lead through every control of any page. */
const MOST_STEPS = 150;

/** Null where whoever looks at the page sees what has the focus. A page that has just been opened has it as a whole. */
const unseen = `((nowhere) => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (at === null || at === document.body) return nowhere;
  if (at.matches("main")) return null;
  const what = at.outerHTML.slice(0, 160);
  const style = getComputedStyle(at);
  if (!at.matches(":focus-visible, [type=date], [type=datetime-local]")) return "not shown as focused: " + what;
  if (style.outlineStyle === "none" || Number.parseFloat(style.outlineWidth) < 1) return "no outline: " + what;
  const box = at.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height / 2, 20)];
  if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return "outside of the window: " + what;
  const above = at.getRootNode().elementFromPoint(x, y);
  const near = at.closest("label") ?? at;
  return above === null || near.contains(above) || above.contains(at) ? null : "covered by " + above.outerHTML.slice(0, 80) + ": " + what;
})`;

/** What looks as if it could be clicked, and no key leads to: neither itself nor anything around or inside it. */
const mouseOnly = `(() => {
  const controls = "a[href], button, input, select, textarea, summary, label, [tabindex='0'], [role=option], [role=menuitem]";
  return [...document.body.querySelectorAll("*")]
    .filter((one) => getComputedStyle(one).cursor === "pointer" && one.checkVisibility())
    .filter((one) => one.closest(controls) === null || one.closest("[aria-hidden=true] a, [aria-hidden=true] button") !== null)
    .map((one) => one.outerHTML.slice(0, 160));
})()`;

export interface Keyboard {
  /** Goes on with Tab until this has the focus; every step on the way is seen. */
  readonly to: (target: Locator) => Promise<void>;
  readonly back: (target: Locator) => Promise<void>;
  readonly down: (target: Locator) => Promise<void>;
  readonly press: (...keys: readonly string[]) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  readonly seen: () => Promise<void>;
  /** Tab leads around inside of this dialog and never behind it. */
  readonly trapped: (dialog: Locator) => Promise<void>;
  readonly has: (target: Locator) => Promise<void>;
  readonly everythingReached: () => Promise<void>;
}

/** Somebody without a mouse at this page. What a pointer did anyway is among the complaints. */
export async function keyboardOf(page: Page, complaints: string[]): Promise<Keyboard> {
  await page.exposeFunction("codehubPointed", (what: string) => complaints.push(`pointer: ${what}`));
  const watch = `for (const kind of ["pointerdown", "mousedown", "touchstart"])
    addEventListener(kind, (event) => window.codehubPointed(kind + " " + event.target?.outerHTML?.slice(0, 80)), true);`;
  await page.addInitScript({ content: watch });
  await page.evaluate(watch);
  const isFocused = (target: Locator) => target.evaluate((element) => element.matches(":focus"));
  const looked = (nowhere: string | null) => expect.poll(() => page.evaluate(`${unseen}(${JSON.stringify(nowhere)})`));
  const seen = () => looked("nothing has the focus").toBeNull();
  const walk = async (key: string, target: Locator) => {
    await target.waitFor();
    for (let step = 0; step < MOST_STEPS && !(await isFocused(target)); step += 1) {
      await page.keyboard.press(key);
      // Between the last control and the first one the browser's own have it.
      await looked(null).toBeNull();
    }
    expect(await isFocused(target), `${key} leads to ${target}`).toBe(true);
    await seen();
  };
  return {
    to: (target) => walk("Tab", target),
    back: (target) => walk("Shift+Tab", target),
    down: (target) => walk("ArrowDown", target),
    press: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text),
    seen,
    trapped: async (dialog) => {
      await dialog.waitFor();
      await seen();
      const inside = () =>
        dialog.evaluate((element) => {
          const { activeElement, body } = element.ownerDocument;
          return activeElement === body || element.contains(activeElement);
        });
      const count = await dialog.locator("a[href], button, input, select, textarea").count();
      for (const key of ["Tab", "Shift+Tab"])
        for (let step = 0; step <= count + 1; step += 1) {
          await page.keyboard.press(key);
          expect(await inside(), `${key} stays in the dialog`).toBe(true);
        }
    },
    has: async (target) => {
      await expect.poll(() => isFocused(target)).toBe(true);
      await seen();
    },
    everythingReached: async () => expect(await page.evaluate(mouseOnly)).toEqual([]),
  };
}

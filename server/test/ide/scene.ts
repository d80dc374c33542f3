import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BrowserContext, Page } from "playwright-core";

const SCREENSHOTS = resolve(import.meta.dirname, "../../../screenshots");
const KEPT_NOTES = 12;
const PATIENCE_MS = 5_000;

/** For people to look at; git ignores them. A page that is just being left cannot be had, and is not waited for. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), timeout: PATIENCE_MS }).catch(() => undefined);
}

/** The last things of note that happened in each page, from its beginning. */
const notes = new WeakMap<Page, string[]>();

/** From here on every page of this browser profile is listened to, so that `describeScene` has something to tell. */
export function listenTo(context: BrowserContext): void {
  for (const page of context.pages()) listenToPage(page);
  context.on("page", listenToPage);
}

function listenToPage(page: Page): void {
  const heard: string[] = [];
  notes.set(page, heard);
  const note = (text: string): void => {
    const line = oneLine(text);
    // The IDE complains about the same things again and again.
    if (heard.some((earlier) => earlier.endsWith(line))) return;
    heard.push(`${new Date().toISOString().slice(11, 19)} ${line}`);
    if (heard.length > KEPT_NOTES) heard.shift();
  };
  page.on("console", (message) => message.type() === "error" && note(`console: ${message.text()}`));
  page.on("pageerror", (error) => note(`exception: ${error.message}`));
  page.on("crash", () => note("the page crashed"));
  page.on("framenavigated", (frame) => frame === page.mainFrame() && note(`went to ${frame.url()}`));
  page.on("websocket", (socket) => {
    const name = /reconnection=\w+/.exec(socket.url())?.[0] ?? "";
    socket.on("close", () => note(`WebSocket closed ${name}`));
    socket.on("socketerror", (error) => note(`WebSocket failed ${name}: ${error}`));
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 240);

/** Everything that may lie over the IDE or say something, and who has the keyboard. */
const LOOK = `(() => {
  const text = (selector) => [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility())
    .map((element) => element.innerText.replaceAll(/\\s+/g, ' ').trim().slice(0, 300));
  const focus = document.activeElement;
  return {
    title: document.title,
    focus: focus === null ? 'nothing' : [focus.tagName.toLowerCase(), ...focus.classList].join('.') + ' ' + (focus.getAttribute('aria-label') ?? ''),
    state: document.visibilityState + (document.hasFocus() ? ', has the keyboard' : ', has not the keyboard'),
    away: text('#codehub-away'),
    dialogs: text('.monaco-dialog-box, [role=dialog]'),
    menus: [...document.querySelectorAll('[role=menu]')].map((menu) => menu.innerText + ' ' + menu.parentElement.getAttribute('style')),
    notifications: text('.notification-toast'),
    palette: text('.quick-input-widget'),
    page: text('main'),
  };
})()`;

/** What each open page shows, in words and as a picture: what a person would have looked at, had one been there. */
export async function describeScene(contexts: readonly BrowserContext[], name: string): Promise<string> {
  const pages = contexts.flatMap((context) => context.pages());
  const shown = await Promise.all(pages.map((page, index) => describePage(page, `failed-${name}-${index + 1}`)));
  return shown.join("\n");
}

async function describePage(page: Page, name: string): Promise<string> {
  await picture(page, name);
  const look = page
    .evaluate<Record<string, string | string[]>>(LOOK)
    .catch((error: Error) => ({ lost: error.message }));
  const late = new Promise<Record<string, string>>((done) =>
    setTimeout(done, PATIENCE_MS, { lost: "no answer" }).unref(),
  );
  const seen = Object.entries(await Promise.race([look, late]))
    .filter(([, value]) => value.length > 0)
    .map(([what, value]) => `  ${what}: ${oneLine(String(value))}`);
  return [
    `${page.url()} (screenshots/${name}.png)`,
    ...seen,
    ...(notes.get(page) ?? []).map((note) => `  ${note}`),
  ].join("\n");
}

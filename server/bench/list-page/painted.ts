import type { BrowserContext, Page } from "playwright-core";

/** From before the page's own scripts on, every page of this browser notes when it has painted its first row. */
export const watchRows = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript({
    content: `globalThis.rowsPainted = new Promise((painted) => {
      const look = () => {
        if (document.querySelector("[data-row]") === null) return;
        watcher.disconnect();
        // The first frame paints it; when the second one begins, that was done.
        requestAnimationFrame(() => requestAnimationFrame(() => painted(performance.now())));
      };
      const watcher = new MutationObserver(look);
      watcher.observe(document, { childList: true, subtree: true });
      look();
    });`,
  });

/** Milliseconds since the navigation began. */
export const rowsPainted = (page: Page): Promise<number> => page.evaluate("globalThis.rowsPainted");

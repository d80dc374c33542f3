import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BrowserContext, chromium } from "playwright-core";
import { chromiumOptions } from "../../test/e2e/browser.ts";

const LIMIT_MS = 60_000;
/** What a browser keeps for the next visit it writes when the page has come to rest. */
const LINGER_MS = 4_000;

/** `lingering` is for visits that are made for the sake of later ones. */
export type Stay = "brief" | "lingering";

/** What every home here has, the peer's as ours. */
export const HOME_FILES = ["README.md", "notes.txt", "package.json", "src", "tests"] as const;

/** A browser with a profile on disk, as a person has one. */
export class OpenBrowser implements AsyncDisposable {
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.#context = context;
    this.#profile = profile;
  }

  static async launch(): Promise<OpenBrowser> {
    const profile = await mkdtemp(join(tmpdir(), "codehub-open-"));
    const context = await chromium.launchPersistentContext(profile, {
      ...chromiumOptions(),
      viewport: { width: 1280, height: 900 },
    });
    return new OpenBrowser(context, profile);
  }

  /** Signed in with these cookies, as a `Cookie` header has them. */
  async signIn(url: string, cookies: string): Promise<void> {
    const pairs = cookies.split("; ").map((pair) => pair.split("=", 2) as [string, string]);
    // One without a value was sent to take it away.
    const kept = pairs.filter(([, value]) => value !== "");
    await this.#context.addCookies(
      kept.map(([name, value]) => ({ name, value, url, secure: name.startsWith("__Host-"), httpOnly: true })),
    );
  }

  /**
   * Opens a page in a tab of its own as soon as `address` is known. Resolves with the moment at which the Explorer showed every file
   * of the home and nothing that is in none.
   */
  async untilRows(address: () => Promise<string>, stay: Stay): Promise<number> {
    const page = await this.#context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    try {
      await page.goto(await address(), { waitUntil: "commit" });
      const rows = page.locator(".explorer-folders-view .monaco-list-row");
      await rows.filter({ hasText: HOME_FILES[0] }).waitFor();
      const shown = performance.now();
      const names = (await rows.allTextContents()).map((name) => name.trim());
      const missing = HOME_FILES.filter((name) => !names.includes(name));
      if (missing.length > 0) throw new Error(`the Explorer shows ${names} and not ${missing}`);
      if (stay === "lingering") await delay(LINGER_MS);
      return shown;
    } finally {
      await page.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}

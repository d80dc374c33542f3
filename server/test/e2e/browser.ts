import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { admin } from "./program.ts";

const CHROMIUM: string = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** On a laptop without Chromium these tests are skipped and say so; in CI that is a failure. */
export function browserIsHere(): boolean {
  if (existsSync(CHROMIUM)) return true;
  if (process.env["CI"] !== undefined) throw new Error(`There is no Chromium at ${CHROMIUM}: apt install chromium.`);
  console.log(`Skipped: no Chromium at ${CHROMIUM}. Install it, or set CHROMIUM to where it is.`);
  return false;
}

const FLAGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  // Drawn on a canvas, the text of a terminal could not be read by a test.
  "--disable-3d-apis",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Chromium as every test has it: by playwright's means, and undisturbed by what engines do to the machine's interfaces. */
export const chromiumOptions = (
  ...flags: readonly string[]
): { executablePath: string; args: string[]; env: NodeJS.ProcessEnv } => ({
  executablePath: join(import.meta.dirname, "chromium-undisturbed.pl"),
  args: [...FLAGS, ...flags],
  env: { ...process.env, CHROMIUM },
});

export const launchBrowser = (...flags: readonly string[]): Promise<Browser> =>
  chromium.launch(chromiumOptions(...flags));

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about, without what the visit meant to provoke. */
  readonly complaints: string[];
  readonly signIn: (user: { readonly username: string; readonly password: string }) => Promise<void>;
}

/**
 * One person with a browser profile of their own. Every error the console shows, every uncaught exception and every
 * violation of the content security policy is kept, and each test ends by looking at them.
 */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...options });
  const complaints: string[] = [];
  await context.exposeFunction("codehubViolation", (text: string) => complaints.push(`CSP: ${text}`));
  await context.addInitScript({
    content: `addEventListener("securitypolicyviolation", (event) =>
      window.codehubViolation(event.violatedDirective + " " + event.blockedURI));`,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("console", (message) => {
    // A page asks whether there is a session; that there is none is an answer, which Chromium prints as an error.
    const asksForSession = message.location().url.endsWith("/api/v1/auth/session");
    if (message.type() === "error" && !asksForSession) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  return {
    page,
    context,
    complaints,
    signIn: async ({ username, password } = admin) => {
      await page.goto("/");
      await page.getByLabel("Username").fill(username);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: `Account of ${username}` }).waitFor();
    },
  };
}

import { existsSync } from "node:fs";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { until } from "../ide/until.ts";

const FIREFOX = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr";

/** As with Chromium: in CI a missing browser is a failure, on a laptop it is said and skipped. */
export function firefoxIsHere(): boolean {
  if (existsSync(FIREFOX)) return true;
  if (process.env["CI"] !== undefined) throw new Error(`There is no Firefox at ${FIREFOX}: apt install firefox-esr.`);
  console.log(`Skipped: no Firefox at ${FIREFOX}. Install it, or set FIREFOX to where it is.`);
  return false;
}

export const launchFirefox = (): Promise<Browser> =>
  puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, defaultViewport: { width: 1280, height: 900 } });

/** Presses what has this role and name for assistive technology; a page that is being drawn anew may take it away meanwhile. */
export async function press(page: Page, role: string, name: string): Promise<void> {
  await until(
    `the ${role} "${name}"`,
    async () => {
      const found = await page.$(`::-p-aria([name="${name}"][role="${role}"])`);
      const clicked = await found?.click().then(
        () => true,
        () => false,
      );
      return clicked === true;
    },
    PATIENCE_MS,
  );
}

/** Waits for something to be seen, or done, however long the machine takes for it. */
export const PATIENCE_MS = 60_000;

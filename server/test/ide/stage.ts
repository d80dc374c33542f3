import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launchBrowser } from "../e2e/browser.ts";
import { type ProjectHost, startProjectHost } from "./project-host.ts";
import type { Site } from "./site.ts";

/** Several times what it takes until activity is known, also on a machine that has much else to do. */
export const TTL_SECONDS = 40;

/** What every test of a file stands on; filled in before the first one runs. */
export interface Stage {
  site: Site;
  browser: Browser;
  url: string;
  projects: ProjectHost;
}

export function setStage(open: (environment: Readonly<Record<string, string>>) => Promise<Site>): Stage {
  const stage = {} as Stage;
  beforeAll(async () => {
    stage.projects = await startProjectHost();
    const ttls = { TTL_STANDBY_SECONDS: String(TTL_SECONDS), TTL_ARCHIVE_SECONDS: "0" };
    stage.site = await open({ ...ttls, ...stage.projects.environment });
    stage.url = stage.site.program.url;
    stage.browser = await launchBrowser();
  });
  afterAll(async () => {
    await stage.browser?.close();
    await stage.site?.stop();
    await stage.projects?.[Symbol.asyncDispose]();
  });
  return stage;
}

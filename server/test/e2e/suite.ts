import type { Client } from "@codehub/contract";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { apiAs } from "./accounts.ts";
import { launchBrowser, type Visitor, visit } from "./browser.ts";
import { type Program, startProgram } from "./program.ts";

/** What every file of these tests stands on; filled in by the hooks below before a test runs. */
export interface Stage {
  program: Program;
  browser: Browser;
  api: Client;
  /** A fresh browser profile for each test. */
  visitor: Visitor;
}

/** One program and one browser for a file, one person for a test, and no complaint of the browser at its end. */
export function setStage(
  environment: () => Readonly<Record<string, string>> = () => ({}),
  start: (environment: Readonly<Record<string, string>>) => Promise<Program> = startProgram,
): Stage {
  const stage = {} as Stage;
  beforeAll(async () => {
    stage.program = await start(environment());
    stage.browser = await launchBrowser();
    stage.api = await apiAs(stage.program.url);
  });
  afterAll(async () => {
    await stage.browser?.close();
    await stage.program?.stop();
  });
  beforeEach(async () => {
    stage.visitor = await visit(stage.browser, stage.program.url);
  });
  afterEach(async () => {
    await stage.visitor.context.close();
    for (const { id, name } of (await stage.api.listWorkspaces({ query: { limit: 10, owner: "all" } })).items)
      await stage.api.deleteWorkspace({ params: { id }, query: { purge: true, confirm: name } });
    expect(stage.visitor.complaints).toEqual([]);
  });
  return stage;
}

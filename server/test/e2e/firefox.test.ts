import type { Client } from "@codehub/contract";
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../ide/until.ts";
import { apiAs } from "./accounts.ts";
import { firefoxIsHere, launchFirefox, PATIENCE_MS, press } from "./firefox.ts";
import { admin, type Program, startProgram } from "./program.ts";

const NAME = "First workspace";
const TYPED = "typed by a person";
const COVER = "#codehub-away";
/** For one try of what a loading IDE may not heed. */
const TRY_MS = 10_000;

/** The five journeys that everything else is a part of, in the browser that the others are not run in. */
describe.skipIf(!firefoxIsHere())("in Firefox", () => {
  let program: Program;
  let browser: Browser;
  let api: Client;
  let person: BrowserContext;
  let page: Page;
  let ide: Page;
  let id: string;
  beforeAll(async () => {
    program = await startProgram();
    browser = await launchFirefox();
    api = await apiAs(program.url);
    person = await browser.createBrowserContext();
    page = await person.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(async () => {
    await browser?.close();
    await program?.stop();
  });

  const phase = async (wanted: string) =>
    await until(`phase ${wanted}`, async () => (await api.getWorkspace({ params: { id } })).phase === wanted);
  /** The link opens a tab of its own, as for a person. */
  const open = async (): Promise<Page> => {
    const before = new Set(await person.pages());
    await page.bringToFront();
    await press(page, "link", `Open ${NAME} (in a new tab)`);
    const tab = await until("a tab", async () => (await person.pages()).find((one) => !before.has(one)));
    tab.setDefaultTimeout(PATIENCE_MS);
    return tab;
  };
  const workbench = async (tab: Page) => {
    await tab.waitForSelector(".monaco-workbench .explorer-folders-view .monaco-list-row", {
      timeout: 2 * PATIENCE_MS,
    });
  };

  const shown = async () =>
    (await ide.$$eval(".part.editor .view-line", (lines) => lines.map((line) => line.textContent).join("\n")))
      // The IDE writes spaces that are not plain ones.
      .replaceAll(/[\u00a0\u00b7]/g, " ");
  const reopen = async () => {
    await ide.close();
    ide = await open();
    await workbench(ide);
    // Whether the IDE opens again what was open last depends on when it last kept that; a click does not, unless the next one
    // comes while it still opens the file.
    await until("the file", async () => {
      await (await ide.$(".explorer-folders-view .monaco-list-row[aria-label*='note.txt']"))
        ?.click({ count: 2 })
        .catch(() => {});
      return await until("its text", async () => (await shown()).includes(TYPED), TRY_MS).catch(() => false);
    });
  };

  it("three clicks lead from signing in to an IDE on an origin of its own", async () => {
    await page.goto(program.url);
    await page.locator("input[autocomplete=username]").fill(admin.username);
    await page.locator("input[type=password]").fill(admin.password);
    await press(page, "button", "Sign in");
    await press(page, "button", "Create my first workspace");
    ide = await open();
    await workbench(ide);
    id = (await api.listWorkspaces()).items[0]?.id ?? "";
    expect(new URL(ide.url()).host).not.toBe(new URL(program.url).host);
    expect(await ide.cookies()).not.toContainEqual(expect.objectContaining({ domain: "localhost" }));
  });

  it("what is typed is saved", async () => {
    await ide.bringToFront();
    const box = ide.locator(".explorer-folders-view input").setTimeout(TRY_MS);
    // An IDE that is still putting things in their place drops the box: then once more.
    await until("a new file", async () => {
      await ide.hover(".explorer-folders-view");
      await press(ide, "button", "New File...");
      const filled = await box.fill("note.txt").then(
        () => true,
        () => false,
      );
      if (!filled) return false;
      await ide.keyboard.press("Enter");
      return (
        (await ide
          .waitForSelector(".tab.active[data-resource-name='note.txt']", { timeout: TRY_MS })
          .catch(() => null)) !== null
      );
    });
    await until("what was typed", async () => {
      await (await ide.waitForSelector(".part.editor .monaco-editor .view-lines"))?.click();
      await ide.keyboard.type(TYPED);
      return (await shown()).includes(TYPED);
    });
    await ide.keyboard.down("Control");
    await ide.keyboard.press("s");
    await ide.keyboard.up("Control");
    await ide.waitForSelector(".tab.active:not(.dirty)[data-resource-name='note.txt']");
  });

  it("a workspace that was stopped says so in its tab, and a visit brings it back", async () => {
    await page.bringToFront();
    await press(page, "button", "Stop");
    await ide.bringToFront();
    await ide.waitForSelector(COVER, { visible: true });
    await phase("STANDBY");
    await reopen();
  });

  it("an archived home comes back with everything in it", async () => {
    await api.updateWorkspace({ params: { id }, body: { desired_state: "ARCHIVED" } });
    await phase("ARCHIVED");
    await reopen();
  });

  it("what was deleted by mistake is taken back, and signing out ends what is open", async () => {
    await page.goto(program.url);
    await press(page, "button", `More for ${NAME}`);
    await press(page, "menuitem", "Delete");
    await press(page, "button", "Move to trash");
    await ide.bringToFront();
    await ide.waitForSelector(COVER, { visible: true });
    await page.bringToFront();
    await press(page, "button", "Undo");
    await until("the undo", async () => (await api.getWorkspace({ params: { id } })).deleted_at === null);
    await press(page, "button", `Account of ${admin.username}`);
    await press(page, "menuitem", "Sign out");
    await page.waitForSelector("input[autocomplete=username]", { visible: true });
    // The door knows nobody any more.
    await page.goto(`${program.url}/w/${id}/`);
    await page.waitForSelector("input[autocomplete=username]", { visible: true });
  });
});

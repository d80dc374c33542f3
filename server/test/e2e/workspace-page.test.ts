import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "@codehub/contract";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { browserIsHere, type Visitor } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

describe.skipIf(!browserIsHere())("the page of a workspace", () => {
  const stage = setStage();
  let page: Page;
  let visitor: Visitor;
  beforeEach(() => {
    ({ visitor } = stage);
    ({ page } = visitor);
  });

  const card = (name: string) => page.getByRole("region", { name });
  const present = (word: string) => page.locator("[aria-current=step]").filter({ hasText: word });
  const show = async (desired: "STANDBY" | "ARCHIVED" | "RUNNING", word: string): Promise<Workspace> => {
    const workspace = await stage.api.createWorkspace({ body: { name: "lab", desired_state: desired } });
    await visitor.signIn(admin);
    await page.goto(`/workspaces/${workspace.id}`);
    await present(word).waitFor();
    return workspace;
  };

  const volumeOf = async ({ id }: Workspace): Promise<string> => {
    const volumes = join(stage.program.dataDir, "volumes");
    const name = (await readdir(volumes)).find((entry) => entry.startsWith(`ws-${id}-home-`));
    if (name === undefined) throw new Error(`no volume of ${id}`);
    return join(volumes, name);
  };
  const lostNotice = () => page.getByRole("alert").getByText("The volume with the home is gone", { exact: true });

  it("saves settings, draws the memo, and keeps awake", async () => {
    await show("STANDBY", "Standby");
    await page.getByRole("region", { name: "Settings" }).getByLabel("Name", { exact: true }).fill("lab two");
    await page.getByLabel("Description").fill("for the course");
    await page.getByLabel("To standby when idle for").selectOption("10800");
    await page.getByLabel("To the archive after standby of").selectOption("0");
    await page
      .getByLabel("Memo (Markdown)")
      .fill("# Plan\n\n- **read** [this](https://example.org)\n<img src=x onerror=alert(1)>");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByRole("heading", { name: "lab two" }).waitFor();
    const memo = card("Memo");
    await memo.getByRole("heading", { name: "Plan" }).waitFor();
    expect(await memo.getByRole("link", { name: "this" }).getAttribute("rel")).toContain("noopener");
    expect(await memo.locator("img").count()).toBe(0);
    await page.getByRole("button", { name: "4 h", exact: true }).click();
    await page.getByText(/may sleep again/).waitFor();
    await page.getByRole("button", { name: "Let it sleep" }).click();
    await page.getByText("For a long task that nobody watches.").waitFor();
  });

  it("shows at once what was changed elsewhere, also what no list tells", async () => {
    const { id } = await show("ARCHIVED", "Archived");
    for (const round of ["first", "second", "third"]) {
      // Two changes on each other's heels: the answer to the first one must not be the last word.
      await stage.api.updateWorkspace({ params: { id }, body: { memo: `passing ${round}` } });
      await stage.api.updateWorkspace({ params: { id }, body: { memo: `lasting ${round}` } });
      await card("Memo").getByText(`lasting ${round}`).waitFor();
    }
    await stage.api.updateWorkspace({ params: { id }, body: { name: "lab renamed" } });
    await page.getByRole("heading", { name: "lab renamed" }).waitFor();
  });

  it("saves what was changed in the form, and leaves alone what was changed elsewhere meanwhile", async () => {
    const { id } = await show("ARCHIVED", "Archived");
    await stage.api.updateWorkspace({ params: { id }, body: { memo: "from elsewhere" } });
    await card("Memo").getByText("from elsewhere").waitFor();
    await page.getByLabel("Description").fill("for the course");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Saved.").waitFor();
    const saved = await stage.api.getWorkspace({ params: { id } });
    expect(saved).toMatchObject({ description: "for the course", memo: "from elsewhere" });
    expect(await page.getByLabel("Memo (Markdown)").inputValue()).toBe("from elsewhere");
  });

  it("shows conditions with reason and since when, history as words and as a picture", async () => {
    await show("STANDBY", "Standby");
    const conditions = card("Conditions");
    await conditions.getByText("Home on disk").waitFor();
    expect(await conditions.locator("time[title]").count()).toBeGreaterThan(3);
    const history = card("History");
    await history.getByText("Standby: prepare a home done").waitFor();
    await history.getByText("Created, to be on standby").waitFor();
    await history.getByRole("img", { name: /standby for/ }).waitFor();
    await history.getByRole("button", { name: "30 days" }).click();
    expect(await history.getByRole("button", { name: "30 days" }).getAttribute("aria-pressed")).toBe("true");
    await card("Lifecycle")
      .getByText(/By mina/)
      .waitFor();
  });

  it("proves the home safe: archive with checksum, download that matches it, restore test", async () => {
    await show("ARCHIVED", "Archived");
    const safety = card("Home safety");
    await safety.getByText("is the home now").waitFor();
    const sha256 = await safety.getByTitle(/^SHA-256/).getAttribute("title");
    const menu = safety.getByRole("button", { name: /^Archive of/ });
    await menu.click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: /Download/ }).click(),
    ]);
    const file = await readFile(await download.path());
    expect(`SHA-256 ${createHash("sha256").update(file).digest("hex")}`).toBe(sha256);
    await menu.click();
    await page.getByRole("menuitem", { name: "Test the restore" }).click();
    await card("History").getByText("The restore test passed").waitFor();
  });

  it("restarts, shows the last output, and empties the home when the name is typed, and gets it back when asked twice", async () => {
    await show("RUNNING", "Running");
    await page.getByRole("button", { name: "Restart", exact: true }).click();
    await expect
      .poll(() => card("History").getByText("Running: start done").count(), { timeout: 60_000 })
      .toBeGreaterThanOrEqual(2);
    await page.getByRole("button", { name: "Last output" }).click();
    await page
      .getByRole("dialog")
      .getByText(/listening on/)
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Empty the home" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("lab");
    await page.getByRole("dialog").getByRole("button", { name: "Empty the home" }).click();
    await present("Empty").waitFor();
    await card("Home safety").getByText("in the trash").waitFor();

    const makeHome = async () => {
      await card("Home safety")
        .getByRole("button", { name: /^Archive of/ })
        .click();
      await page.getByRole("menuitem", { name: "Restore as the home" }).click();
      return page.getByRole("dialog", { name: "Make this the home of “lab”?" });
    };
    await (await makeHome()).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await present("Empty").count()).toBe(1);
    expect(await page.getByText("The archive is being restored as the home.").count()).toBe(0);
    await (await makeHome()).getByRole("button", { name: "Make it the home" }).click();
    await page.getByText("The archive is being restored as the home.").waitFor();
    await card("Home safety").getByText("is the home now").waitFor();
  });

  it("tells loudly that a volume is gone, offers the choices, and starts empty only by name", async () => {
    const volume = await volumeOf(await show("STANDBY", "Standby"));
    await rm(volume, { recursive: true });
    await lostNotice().waitFor({ timeout: 90_000 });
    await card("Home safety").getByText("At risk").waitFor();
    await page.getByRole("button", { name: "Recover" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Try again").count()).toBe(0);
    await dialog.getByLabel("Start with an empty home").check();
    const recover = dialog.getByRole("button", { name: "Recover" });
    expect(await recover.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("lab");
    await recover.click();
    await present("Standby").waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  it("clears the error by itself when the volume is back", async () => {
    const volume = await volumeOf(await show("STANDBY", "Standby"));
    const elsewhere = join(stage.program.dataDir, "elsewhere");
    await rename(volume, elsewhere);
    await lostNotice().waitFor({ timeout: 90_000 });
    await rename(elsewhere, volume);
    await page.getByRole("alert").waitFor({ state: "detached", timeout: 90_000 });
    await present("Standby").waitFor();
  });
});

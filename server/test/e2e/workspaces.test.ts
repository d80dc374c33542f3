import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { browserIsHere, type Visitor } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const status = (page: Page, name: string, word: string) => rowOf(page, name).getByText(word, { exact: true });

describe.skipIf(!browserIsHere())("workspaces in the browser", () => {
  const stage = setStage();
  let page: Page;
  let visitor: Visitor;
  beforeEach(() => {
    ({ visitor } = stage);
    ({ page } = visitor);
  });
  const names = () => page.locator("[data-name-link]").allTextContents();
  const focused = () =>
    page.evaluate("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim()");
  const make = (name: string, desired: "RUNNING" | "STANDBY" | "ARCHIVED" = "STANDBY") =>
    stage.api.createWorkspace({ body: { name, desired_state: desired } });

  it("leads from signing in to a running IDE with one click, and says what happens on the way", async () => {
    await visitor.signIn(admin);
    await page.getByRole("heading", { name: "Welcome, mina" }).waitFor();
    await page.getByRole("button", { name: "Create my first workspace" }).click();
    await page.getByRole("heading", { name: "First workspace" }).waitFor();
    await page.getByText("as requested").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Running" }).and(page.locator("[aria-current=step]")).waitFor();
    const open = page.getByRole("link", { name: "Open First workspace (in a new tab)" });
    expect(await open.getAttribute("href")).toMatch(/^\/w\/[0-9a-f-]{36}\/$/);
    expect(await open.getAttribute("rel")).toBe("noopener");
    await page.getByText("Running: start done").waitFor();
    await page
      .getByText(/Standby in \d+ min unless you use it/)
      .first()
      .waitFor();
  });

  it("refuses a wrong password and says what to do", async () => {
    await page.goto("/");
    await page.getByLabel("Username").fill(admin.username);
    await page.getByLabel("Password").fill("not it");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("The username or the password is wrong.").waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining("401")]);
  });

  it("follows the whole life without a reload: start, stop, archive, restore", async () => {
    await make("alpha");
    await visitor.signIn(admin);
    await status(page, "alpha", "Standby").waitFor();
    await page.getByRole("button", { name: "Start alpha" }).click();
    await status(page, "alpha", "Running").waitFor();
    await page.getByRole("button", { name: "Stop alpha" }).click();
    await status(page, "alpha", "Standby").waitFor();
    await page.getByRole("button", { name: "More for alpha" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await status(page, "alpha", "Archived").waitFor();
    await rowOf(page, "alpha")
      .getByText(/safe as of/)
      .waitFor();
    await page.getByRole("button", { name: "Start alpha" }).click();
    await status(page, "alpha", "Running").waitFor();
  });

  it("searches, filters and sorts, and says when nothing fits", async () => {
    await make("web 10");
    const { id } = await make("web 2", "ARCHIVED");
    await make("api");
    await visitor.signIn(admin);
    await status(page, "web 2", "Archived").waitFor();
    await page.getByLabel("Sort by").selectOption("name");
    await expect.poll(names).toEqual(["api", "web 2", "web 10"]);
    // Chosen orders do not wait for a quiet moment, which a busy page may not have: they are there with the choice.
    const turned = await page.evaluate(`(async () => {
      document.querySelector('[aria-label$="Turn around."]').click();
      await Promise.resolve();
      return [...document.querySelectorAll("[data-name-link]")].map(({ textContent }) => textContent);
    })()`);
    expect(turned).toEqual(["web 10", "web 2", "api"]);
    await page.getByRole("button", { name: /Turn around/ }).click();
    await expect.poll(names).toEqual(["api", "web 2", "web 10"]);
    await page.keyboard.press("/");
    await page.keyboard.type("web");
    await expect.poll(names).toEqual(["web 2", "web 10"]);
    await page.getByRole("button", { name: /^Archived/ }).click();
    await expect.poll(names).toEqual(["web 2"]);
    // All of it is in the address: it outlives a reload, and each choice is one step back.
    await expect.poll(() => new URL(page.url()).search).toBe("?q=web&show=archived&sort=name");
    await page.reload();
    await expect.poll(names).toEqual(["web 2"]);
    expect(await page.getByLabel("Search workspaces").inputValue()).toBe("web");
    await page.goBack();
    await expect.poll(names).toEqual(["web 2", "web 10"]);
    await page.getByRole("link", { name: "web 10", exact: true }).click();
    await page.getByRole("heading", { name: "web 10" }).waitFor();
    await page.goBack();
    await expect.poll(names).toEqual(["web 2", "web 10"]);
    await page.goForward();
    await page.getByRole("navigation").getByRole("link", { name: "Workspaces" }).click();
    await expect.poll(names).toHaveLength(3);
    await page.goto("/?show=archived&sort=name");
    // A memo is not in the list: the server is asked for it.
    await stage.api.updateWorkspace({ params: { id }, body: { memo: "speaks of zebras" } });
    await page.getByLabel("Search workspaces").fill("zebras");
    await expect.poll(names).toEqual(["web 2"]);
    await page.getByLabel("Search workspaces").fill("nothing like this");
    await page.getByText("Nothing matches").waitFor();
    await page.getByRole("button", { name: "Show all workspaces" }).click();
    await expect.poll(names).toEqual(["api", "web 2", "web 10"]);
  });

  it("is driven by the keyboard alone", async () => {
    await make("first");
    await make("second");
    await visitor.signIn(admin);
    await page.getByLabel("Sort by").selectOption("name");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await expect.poll(focused).toBe("first");
    await page.keyboard.press("j");
    await page.keyboard.press("p");
    await expect.poll(names).toEqual(["second", "first"]);
    await expect.poll(focused).toBe("second");
    expect(await page.getByRole("button", { name: "Pin second" }).getAttribute("aria-pressed")).toBe("true");
    await page.reload();
    await expect.poll(names).toEqual(["second", "first"]);
    await page.getByRole("button", { name: "Pin second" }).press("Space");
    await expect.poll(names).toEqual(["first", "second"]);
    await expect.poll(focused).toBe("Pin second");

    // A range, what is asked of it, and its undoing, which gives the focus back to the list.
    await page.getByLabel("Search workspaces").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("b");
    await expect.poll(focused).toBe("Start");
    for (const _ of ["Stop", "Archive"]) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("2 workspaces are to be archived.").waitFor();
    await expect.poll(focused).toBe("second");
    await status(page, "first", "Archived").waitFor();
    await status(page, "second", "Archived").waitFor();
    await page.keyboard.press("z");
    await status(page, "first", "Standby").waitFor();
    await status(page, "second", "Standby").waitFor();
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    expect(await page.getByLabel("Select second").isChecked()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.getByText("1 selected").count()).toBe(0);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "first" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "New workspace" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("third");
    await page.getByLabel("Start it at once").uncheck();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "third" }).waitFor();
  });

  it("finds and does anything with Ctrl+K", async () => {
    await make("notebook");
    await make("payments", "ARCHIVED");
    await visitor.signIn(admin);
    await status(page, "payments", "Archived").waitFor();
    const field = page.getByRole("combobox", { name: "Workspace, page or action" });
    const chosen = () =>
      field.evaluate((input) => {
        const active = input.getAttribute("aria-activedescendant");
        return input.ownerDocument.getElementById(active ?? "")?.textContent;
      });
    const find = async (text: string, first: RegExp) => {
      await page.keyboard.press("Control+k");
      await field.waitFor();
      await page.keyboard.type(text);
      await expect.poll(chosen).toMatch(first);
    };
    await find("pmt", /^Open payments/);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("ArrowUp");
    await expect.poll(chosen).toMatch(/^Start payments/);
    await page.keyboard.press("Enter");
    await status(page, "payments", "Running").waitFor();
    await find("stop pay", /^Stop payments/);
    await page.keyboard.press("Enter");
    await status(page, "payments", "Standby").waitFor();
    await find("go trash", /^Go to Trash/);
    await page.keyboard.press("Enter");
    await page.getByText("The trash is empty").waitFor();
    await find("new", /^New workspace/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New workspace" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await field.fill("there is no such thing");
    await page.getByRole("dialog").getByRole("paragraph").filter({ hasText: "Nothing fits." }).last().waitFor();
    await page.keyboard.press("Escape");
    await find("open note", /^Open notebook/);
    const [tab] = await Promise.all([visitor.context.waitForEvent("page"), page.keyboard.press("Enter")]);
    await tab.waitForURL(/\/w\/|\.localhost/);
    await tab.close();
  });

  it("says ⌘K where keyboards have that key, and takes it", async () => {
    await page.addInitScript({
      content: `Object.defineProperty(navigator, "platform", { get: () => "MacIntel" });`,
    });
    await visitor.signIn(admin);
    const button = page.getByRole("banner").getByRole("button", { name: "Find and do anything" });
    expect(await button.getAttribute("title")).toBe("Find and do anything (⌘K)");
    expect(await button.getAttribute("aria-keyshortcuts")).toBe("Meta+K");
    expect(await button.locator("[data-keys]").getAttribute("data-keys")).toBe("⌘K");
    const palette = page.getByRole("dialog", { name: "Find and do anything" });
    await page.keyboard.press("Meta+k");
    await palette.waitFor();
    await page.keyboard.press("Meta+k");
    await palette.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("⌘K", { exact: true }).waitFor();
  });

  it("acts on several at once, deletes with undo, and restores from the trash", async () => {
    for (const name of ["one", "two", "three"]) await make(name);
    await visitor.signIn(admin);
    for (const name of ["one", "two", "three"]) await status(page, name, "Standby").waitFor();
    await page.getByLabel("Select one").check();
    await page.getByLabel("Select two").check();
    await page.getByRole("region", { name: "Selected workspaces" }).getByRole("button", { name: "Archive" }).click();
    await status(page, "one", "Archived").waitFor();
    await status(page, "two", "Archived").waitFor();
    await page.getByLabel("Select one").check();
    await page.getByLabel("Select two").check();
    await page.getByRole("region", { name: "Selected workspaces" }).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Move to trash" }).click();
    await rowOf(page, "one").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf(page, "one").waitFor();
    await rowOf(page, "two").waitFor();

    await page.getByRole("button", { name: "More for three" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Move to trash" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Trash" }).click();
    const trashed = page.getByRole("main").getByRole("listitem").filter({ hasText: "three" });
    await trashed.getByText(/7 days left/).waitFor();
    await trashed.getByRole("button", { name: "Restore" }).click();
    await page.getByText("The trash is empty").waitFor();
  });

  it("deletes for good only when the name is typed", async () => {
    const { id } = await make("precious");
    await stage.api.deleteWorkspace({ params: { id } });
    await visitor.signIn(admin);
    await page.goto("/trash");
    const trashed = page.getByRole("main").getByRole("listitem").filter({ hasText: "precious" });
    await trashed.getByRole("button", { name: "Delete for good" }).click();
    const dialog = page.getByRole("dialog");
    const confirm = dialog.getByRole("button", { name: "Delete for good" });
    await dialog.getByRole("textbox").fill("preciou");
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("precious");
    await confirm.click();
    await trashed.waitFor({ state: "detached" });
  });

  it("names who holds the slots when none is free, and goes on when one is", async () => {
    for (const name of ["left", "right"]) await make(name, "RUNNING");
    await make("waiting");
    await visitor.signIn(admin);
    await status(page, "left", "Running").waitFor();
    await status(page, "right", "Running").waitFor();
    await status(page, "waiting", "Standby").waitFor();
    await page.getByRole("button", { name: "Start waiting" }).click();
    const dialog = page.getByRole("dialog", { name: "No free slot" });
    await dialog.getByRole("listitem").filter({ hasText: "left" }).getByRole("button").click();
    await status(page, "waiting", "Running").waitFor();
    await status(page, "left", "Standby").waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining("429")]);
  });
});

import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { placeFakeIde } from "../stories/fake-ide-install.ts";
import { browserIsHere, type Visitor } from "./browser.ts";
import { type Keyboard, keyboardOf } from "./keyboard.ts";
import { admin, startProgram } from "./program.ts";
import { setStage } from "./suite.ts";

const SOON = { timeout: 20_000 };

describe.skipIf(!browserIsHere())("with the keyboard alone", () => {
  const stage = setStage(
    () => ({ PORT_SHARING: "public" }),
    (environment) => startProgram(environment, placeFakeIde),
  );
  let page: Page;
  let visitor: Visitor;
  let keys: Keyboard;
  beforeEach(async () => {
    ({ visitor } = stage);
    ({ page } = visitor);
    await page.goto("/");
    await page.getByLabel("Username").waitFor();
    keys = await keyboardOf(page, visitor.complaints);
    await keys.has(page.getByLabel("Username"));
    await keys.type(admin.username);
    await keys.press("Tab");
    await keys.seen();
    await keys.type(admin.password);
    await keys.press("Enter");
    await page.getByRole("button", { name: `Account of ${admin.username}` }).waitFor();
  });
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  it("a workspace is made, stopped, started, set up, shared, deleted and restored", async () => {
    await page.getByRole("heading", { name: "Welcome, mina" }).waitFor();
    await keys.everythingReached();
    await keys.press("n");
    const making = page.getByRole("dialog", { name: "New workspace" });
    await keys.trapped(making);
    await keys.to(making.getByLabel("Name", { exact: true }));
    await keys.type("paper");
    await keys.to(making.getByRole("button", { name: "Create workspace" }));
    await keys.press("Enter");

    await page.getByRole("heading", { name: "paper" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "Running" }).and(page.locator("[aria-current=step]")).waitFor();
    await keys.everythingReached();
    await keys.to(button("Stop"));
    await keys.press("Enter");
    // What was pressed is another button now, and that has the focus.
    await keys.has(button("Start"));
    await page.getByRole("listitem").filter({ hasText: "Standby" }).and(page.locator("[aria-current=step]")).waitFor();
    await keys.press("Enter");
    await keys.has(button("Stop"));
    await page.getByRole("listitem").filter({ hasText: "Running" }).and(page.locator("[aria-current=step]")).waitFor();

    const settings = region("Settings");
    await keys.to(settings.getByLabel("Description"));
    await keys.type("what I write");
    await keys.to(settings.getByLabel("To standby when idle for"));
    await keys.type("Never");
    await keys.to(settings.getByRole("button", { name: "Save settings" }));
    await keys.press("Enter");
    await page.getByText("Saved.").waitFor();
    await keys.seen();
    const [row] = (await stage.api.listWorkspaces()).items;
    const id = row?.id ?? "";
    const set = await stage.api.getWorkspace({ params: { id } });
    expect([set.description, set.standby_ttl_seconds]).toEqual(["what I write", 0]);

    const ide = await visitor.context.newPage();
    await ide.goto(`/w/${id}/?next=/listen`);
    await expect.poll(() => ide.textContent("body"), SOON).toMatch(/^\d+$/);
    const port = await ide.textContent("body");
    await ide.close();
    const ports = region("Ports");
    const share = ports.getByRole("button", { name: `Share port ${port}` });
    await keys.back(share);
    const choice = page.getByRole("menuitem", { name: "Signed-in users, for 1 hour" });
    await keys.press("Enter");
    await keys.has(choice);
    await keys.press("Escape");
    await keys.has(share);
    await keys.press("Enter");
    await keys.has(choice);
    await keys.press("Enter");
    const asking = page.getByRole("dialog");
    await keys.trapped(asking);
    await keys.press("Escape");
    await keys.has(share);
    await keys.press("Enter");
    await keys.has(choice);
    await keys.press("Enter");
    await keys.to(asking.getByRole("button", { name: "Share", exact: true }));
    await keys.press("Enter");
    await keys.has(share);
    await keys.to(ports.getByRole("button", { name: `Close port ${port} to others` }));
    await keys.press("Enter");
    await ports.getByRole("button", { name: `Close port ${port} to others` }).waitFor({ state: "detached" });
    await keys.has(share);

    await keys.to(region("More actions").getByRole("button", { name: "Delete", exact: true }));
    await keys.press("Enter");
    const deleting = page.getByRole("dialog", { name: "Delete “paper”?" });
    await keys.trapped(deleting);
    await keys.to(deleting.getByRole("button", { name: "Move to trash" }));
    await keys.press("Enter");
    await page.getByText("“paper” is in the trash.").waitFor();
    await keys.to(page.getByRole("navigation").getByRole("link", { name: "Trash" }));
    await keys.press("Enter");
    await keys.to(button("Restore"));
    await keys.everythingReached();
    await keys.press("Enter");
    await page.getByText("The trash is empty").waitFor();
    await keys.seen();
    await keys.to(page.getByRole("navigation").getByRole("link", { name: "Workspaces" }));
    await keys.press("Enter");
    await keys.to(button("More for paper"));
    await keys.everythingReached();
  });

  it("tokens are made and revoked, people are let in, bounded and kept out, and what happened is read", async () => {
    await keys.to(button(`Account of ${admin.username}`));
    await keys.press("Enter");
    await keys.has(page.getByRole("menuitem", { name: "Account" }));
    await keys.press("Enter");
    const tokens = region("API tokens");
    await keys.to(tokens.getByLabel("Name"));
    await keys.everythingReached();
    await keys.type("laptop");
    await keys.press("Enter");
    await page.getByText("The token “laptop” is shown only now").waitFor();
    await keys.back(button("I have it"));
    await keys.press("Enter");
    await page.getByText("The token “laptop” is shown only now").waitFor({ state: "detached" });
    await keys.seen();
    await keys.to(button("Revoke laptop"));
    await keys.press("Enter");
    await button("Revoke laptop").waitFor({ state: "detached" });
    await keys.seen();

    await keys.press("Control+k");
    await keys.trapped(page.getByRole("dialog", { name: "Find and do anything" }));
    await keys.to(page.getByRole("combobox", { name: "Workspace, page or action" }));
    await keys.type("admin users");
    await page.getByRole("option", { name: "Go to Admin: users", selected: true }).waitFor();
    await keys.press("Enter");
    await keys.to(page.getByLabel("Username"));
    await keys.type("noor");
    await keys.press("Enter");
    await page.getByText("The password of noor is shown only now").waitFor();
    await keys.seen();
    const more = button("More for noor");
    await keys.back(more);
    await keys.everythingReached();
    const choose = async (entry: string) => {
      await keys.press("Enter");
      await keys.has(page.getByRole("menuitem").first());
      await keys.down(page.getByRole("menuitem", { name: entry, exact: true }));
      await keys.press("Enter");
    };
    await choose("Limit");
    const limit = page.getByRole("dialog", { name: "Limit of noor" });
    await keys.trapped(limit);
    await keys.to(limit.getByLabel("Workspaces that may run at once"));
    await keys.type("3");
    await keys.press("Enter");
    await page.getByText("0 of 3 running").waitFor();
    await keys.has(more);
    await choose("Disable");
    const disable = page.getByRole("dialog", { name: "Disable noor?" });
    await keys.trapped(disable);
    await keys.to(disable.getByRole("button", { name: "Disable" }));
    await keys.press("Enter");
    await page.getByRole("listitem").filter({ hasText: "noor" }).getByText("disabled").waitFor();
    await keys.has(more);

    await keys.back(page.getByRole("link", { name: "Audit log" }));
    await keys.press("Enter");
    const kind = page.getByLabel("Kind of event");
    await keys.to(kind);
    await keys.type("user_disabled");
    await page.getByText("1 found").waitFor();
    await keys.has(kind);
    await keys.everythingReached();
    await keys.back(page.getByRole("link", { name: "Usage" }));
    await keys.press("Enter");
    const weeks = page.getByLabel("How far back");
    await keys.to(weeks);
    await keys.type("4");
    await expect.poll(() => weeks.inputValue()).toBe("4");
    await page
      .getByRole("img", { name: /^Running by week since/ })
      .or(page.getByText("Nothing was used"))
      .first()
      .waitFor();
    await keys.has(weeks);
    await keys.everythingReached();
  });
});

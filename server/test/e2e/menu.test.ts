import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { browserIsHere, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

describe.skipIf(!browserIsHere())("menus", () => {
  const stage = setStage();
  let page: Page;
  const focused = () =>
    page.evaluate("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent");
  const button = () => page.getByRole("button", { name: "More for alpha" });
  const open = () => page.getByRole("menu", { name: "More for alpha" });
  const closed = () => open().waitFor({ state: "detached" });
  beforeEach(async () => {
    ({ page } = stage.visitor);
    await stage.api.createWorkspace({ body: { name: "alpha", desired_state: "STANDBY" } });
    await stage.visitor.signIn(admin);
    await page.getByRole("row").filter({ hasText: "alpha" }).getByText("Standby", { exact: true }).waitFor();
  });

  it("is opened by the keys of a menu's button, and closed by Escape", async () => {
    await button().focus();
    for (const [key, entry] of [
      ["ArrowDown", "Start"],
      ["ArrowUp", "Delete"],
      ["Enter", "Start"],
      ["Space", "Start"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused).toBe(entry);
      await page.keyboard.press("Escape");
      await closed();
      await expect.poll(focused).toBe("More for alpha");
    }
  });

  it("is moved in by arrows, Home, End and first letters, and left by Tab", async () => {
    await button().focus();
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Start");
    for (const [key, entry] of [
      ["ArrowUp", "Delete"],
      ["ArrowDown", "Start"],
      ["End", "Delete"],
      ["Home", "Start"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused).toBe(entry);
    }
    await page.keyboard.type("ar");
    await expect.poll(focused).toBe("Archive");
    await page.keyboard.press("Tab");
    await closed();
  });

  it("stays at its button when the page becomes longer or shorter behind it", async () => {
    const account = page.getByRole("button", { name: `Account of ${admin.username}` });
    await account.click();
    const entry = page.getByRole("menuitem", { name: "Sign out" });
    await entry.waitFor();
    const below = async () =>
      Math.round(((await entry.boundingBox())?.y ?? 0) - ((await account.boundingBox())?.y ?? 0));
    await expect.poll(below).toBeGreaterThan(0);
    // It rises into its place: before it is there, every look finds it elsewhere.
    await page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished))");
    const place = await below();
    for (const padding of ["900px", ""]) {
      await page.evaluate(`document.getElementById("content").style.paddingTop = "${padding}"`);
      expect(await below()).toBe(place);
    }
  });

  it("keeps the letters typed in it: neither the page nor the list acts on them", async () => {
    await button().focus();
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Start");
    for (const key of ["x", "o", "n", "?", "/"]) await page.keyboard.press(key);
    expect(await page.getByLabel("Select alpha").isChecked()).toBe(false);
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(stage.visitor.context.pages()).toHaveLength(1);
    await open().waitFor();
  });

  it("is closed by its button, and by a click elsewhere that does nothing else", async () => {
    await button().click();
    await open().waitFor();
    await button().click();
    await closed();
    const theme = page.getByRole("button", { name: "Theme: system" });
    const checkbox = page.getByLabel("Select alpha");
    for (const other of [theme, checkbox]) {
      const box = await other.boundingBox();
      if (box === null) throw new Error("What is to be clicked is not on the screen.");
      await button().click();
      await open().waitFor();
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await closed();
    }
    expect(await theme.count()).toBe(1);
    expect(await checkbox.isChecked()).toBe(false);
  });

  it("hands the focus to a dialog and gets it back, and leaves it to another page", async () => {
    await button().click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await closed();
    expect(await dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement))).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(focused).toBe("More for alpha");

    await page.getByRole("button", { name: "Account of mina" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Account");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "API tokens" }).waitFor();
    await page.getByRole("menu").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement?.id")).toBe("content");
  });

  it("is whole on a phone, also at the lower edge of the screen", async () => {
    const size = { width: 375, height: 500 };
    const phone = await visit(stage.browser, stage.program.url, { viewport: size, hasTouch: true, isMobile: true });
    ({ page } = phone);
    await phone.signIn(admin);
    await button().evaluate((element) => element.scrollIntoView({ block: "end" }));
    await button().tap();
    await open().waitFor();
    const inside = async () => {
      const box = await open().boundingBox();
      if (box === null) return false;
      return box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height;
    };
    await expect.poll(inside).toBe(true);
    await page.getByRole("menuitem", { name: "Delete" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Move to trash" }).waitFor();
    await phone.context.close();
    expect(phone.complaints).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { browserIsHere } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const COUNT = 1000;

describe.skipIf(!browserIsHere())("a thousand workspaces", () => {
  // Nothing is to be done with them here, so nobody leads: the rows are all the test is about.
  const stage = setStage({ ROLES: "api,proxy" });

  it("draws only what is seen, and finds any of them at once", async () => {
    const { api, visitor } = stage;
    const { page } = visitor;
    const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
    for (let start = 0; start < COUNT; start += 20)
      await Promise.all(
        numbers
          .slice(start, start + 20)
          .map((n) => api.createWorkspace({ body: { name: `workspace ${n}`, desired_state: "ARCHIVED" } })),
      );
    await visitor.signIn(admin);
    await page.getByLabel("Sort by").selectOption("name");
    await page.getByRole("link", { name: "workspace 1", exact: true }).waitFor();
    const table = page.getByRole("table", { name: "Workspaces" });
    expect(await table.getAttribute("aria-rowcount")).toBe(String(COUNT + 1));
    const drawn = () => page.locator("[data-row]").count();
    expect(await drawn()).toBeLessThan(40);

    // The far end by scrolling, a row in the middle by searching, and back by the keyboard.
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    await page.getByRole("link", { name: `workspace ${COUNT}`, exact: true }).waitFor();
    expect(await drawn()).toBeLessThan(40);
    await page.getByLabel("Search workspaces").fill("workspace 517");
    await page.getByRole("link", { name: "workspace 517", exact: true }).waitFor();
    await expect.poll(drawn).toBe(1);
    await page.getByLabel("Search workspaces").fill("");
    await page.getByLabel("Search workspaces").press("ArrowDown");
    for (let step = 0; step < 60; step += 1) await page.keyboard.press("ArrowDown");
    await expect
      .poll(() => page.evaluate("document.activeElement?.textContent"), {
        message: "the focus follows through the window",
      })
      .toBe("workspace 61");
    await page.getByLabel("Select all that are listed").check();
    await page.getByText(`${COUNT} selected`).waitFor();
  });
});

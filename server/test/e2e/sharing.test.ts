import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { placeFakeIde } from "../stories/fake-ide-install.ts";
import { makeUser } from "./accounts.ts";
import { violations } from "./axe.ts";
import { browserIsHere, visit } from "./browser.ts";
import { admin, startProgram } from "./program.ts";
import { setStage } from "./suite.ts";

const SOON = { timeout: 20_000 };

describe.skipIf(!browserIsHere())("ports of a workspace", () => {
  const stage = setStage(
    () => ({ PORT_SHARING: "public" }),
    (environment) => startProgram(environment, placeFakeIde),
  );
  const card = (page: Page) => page.getByRole("region", { name: "Ports" });

  /** A workspace of mina's, with her at its page, in which a program listens. */
  async function listening(): Promise<{ id: string; port: string; address: string }> {
    const { api, visitor } = stage;
    await visitor.signIn(admin);
    const { id } = await api.createWorkspace({ body: { name: "web", desired_state: "RUNNING" } });
    const running = async () => (await api.getWorkspace({ params: { id } })).phase;
    await expect.poll(running, SOON).toBe("RUNNING");
    const ide = await visitor.context.newPage();
    await ide.goto(`/w/${id}/?next=/listen`);
    await expect.poll(() => ide.textContent("body"), SOON).toMatch(/^\d+$/);
    const port = (await ide.textContent("body")) ?? "";
    await ide.close();
    const { items } = await api.listPorts({ params: { id } });
    const address = items.find((one) => String(one.port) === port)?.url ?? "";
    return { id, port, address };
  }

  it("are listed, shared with others for a time, and closed again", async () => {
    const { visitor, api, browser, program } = stage;
    const { page } = visitor;
    const { id, port, address } = await listening();
    await page.goto(`/workspaces/${id}#ports`);
    await card(page).getByText(port, { exact: true }).waitFor();
    await expect.poll(() => card(page).evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(900);
    const [own] = await Promise.all([
      visitor.context.waitForEvent("page"),
      card(page)
        .getByRole("link", { name: `Open port ${port}` })
        .click(),
    ]);
    await own.waitForURL(`${address}**`);
    await expect.poll(() => own.textContent("body"), SOON).toMatch(/^uid /);

    // Two others: one with an account, and one without.
    const bob = await visit(browser, program.url);
    await bob.signIn(await makeUser(api, "bob"));
    const stranger = await visit(browser, program.url);
    const sees = async (tab: Page) => {
      await tab.goto(address);
      return (await tab.textContent("body")) ?? "";
    };
    expect(await sees(bob.page)).toContain("There is no such workspace");
    await stranger.page.goto(address);
    await stranger.page.getByLabel("Username").waitFor();

    const share = async (choice: string, button: string) => {
      await card(page)
        .getByRole("button", { name: `Share port ${port}` })
        .click();
      await page.getByRole("menuitem", { name: choice }).click();
      await page.getByRole("dialog").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: button }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await share("Signed-in users, for 1 hour", "Share");
    await card(page)
      .getByText("Shared with signed-in users, ends in 59 min")
      .or(card(page).getByText("ends in 1 h"))
      .waitFor();
    // A button that is half below the bar at the top is one that can be scrolled to.
    await page.evaluate("scrollTo(0, 0)");
    expect(await violations(page)).toEqual([]);
    expect(await sees(bob.page)).toMatch(/^uid /);
    await stranger.page.goto(address);
    await stranger.page.getByLabel("Username").waitFor();

    await share("Public, until I close it", "Make public");
    await card(page).getByText("Public: open to everybody, until it is closed").waitFor();
    expect(await sees(stranger.page)).toMatch(/^uid /);
    // Nobody gets further than that.
    await stranger.page.goto(address.replace(`${port}--`, ""));
    await stranger.page.getByLabel("Username").waitFor();

    await card(page)
      .getByRole("button", { name: `Close port ${port} to others` })
      .click();
    await card(page).getByText("Public: open to everybody").waitFor({ state: "detached" });
    expect(await sees(bob.page)).toContain("There is no such workspace");
    await stranger.page.goto(address);
    await stranger.page.getByLabel("Username").waitFor();
    await page.getByText(`Port ${port} no longer shared`).first().waitFor();
    for (const other of [bob, stranger]) {
      await other.context.close();
      expect(other.complaints.filter((text) => !text.includes("404"))).toEqual([]);
    }
  });

  it("fit on a phone", async () => {
    const { browser, program, api } = stage;
    const { id, port } = await listening();
    await api.updateWorkspace({ params: { id }, body: { name: "web on a phone" } });
    const options = { viewport: { width: 375, height: 700 }, hasTouch: true, isMobile: true };
    const phone = await visit(browser, program.url, options);
    await phone.signIn(admin);
    await phone.page.goto(`/workspaces/${id}#ports`);
    await card(phone.page)
      .getByRole("button", { name: `Share port ${port}` })
      .tap();
    await phone.page.getByRole("menuitem", { name: "Public, for 8 hours" }).tap();
    await phone.page.getByRole("button", { name: "Make public" }).tap();
    await card(phone.page)
      .getByRole("button", { name: `Close port ${port} to others` })
      .waitFor();
    const [scrollWidth, clientWidth] = (await phone.page.evaluate(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    )) as [number, number];
    expect(scrollWidth).toBe(clientWidth);
    await phone.page.evaluate("scrollTo(0, 0)");
    expect(await violations(phone.page)).toEqual([]);
    await phone.context.close();
    expect(phone.complaints).toEqual([]);
  });
});

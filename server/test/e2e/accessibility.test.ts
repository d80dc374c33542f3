import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { browserIsHere, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const looks = [
  { name: "light", options: { colorScheme: "light" as const } },
  { name: "dark", options: { colorScheme: "dark" as const } },
  { name: "phone", options: { viewport: { width: 390, height: 800 }, hasTouch: true } },
] as const;

/** What is pressed is at least 24 px in both directions; a box to tick is pressed with its label. */
const smallTargets = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll("main a, main button, main input, main select, header button")]
    .map((element) => element.closest("label") ?? element)
    .filter((element) => element.checkVisibility())
    .map((element) => ({ text: element.outerHTML.slice(0, 120), box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width < 24 || box.height < 24)
    .map(({ text, box }) => text + " " + box.width + " x " + box.height)`);

describe.skipIf(!browserIsHere())("accessibility (axe, WCAG 2.2 AA)", () => {
  const stage = setStage();

  it.each(looks)("finds nothing on any screen, $name", async ({ options }) => {
    const { browser, program, api } = stage;
    const person = await visit(browser, program.url, { ...options, reducedMotion: "reduce" });
    const { page } = person;
    const check = async (screen: string) => expect(await violations(page), screen).toEqual([]);

    await page.goto("/");
    await page.getByLabel("Username").waitFor();
    await check("sign in");
    await person.signIn(admin);
    await page.getByRole("heading", { name: "Welcome, mina" }).waitFor();
    await check("welcome");

    const { id } = await api.createWorkspace({
      body: { name: "seen", desired_state: "ARCHIVED", memo: "# Memo\n\n`code` and [link](https://example.org)" },
    });
    const gone = await api.createWorkspace({ body: { name: "gone", desired_state: "STANDBY" } });
    await api.deleteWorkspace({ params: { id: gone.id } });
    await page.getByRole("row").filter({ hasText: "seen" }).getByText("Archived", { exact: true }).waitFor();
    await page.getByLabel("Select seen").check();
    await check("workspaces with one selected");
    expect(await smallTargets(page), "targets").toEqual([]);
    for (const name of ["More for seen", "Account of mina"]) {
      await page.getByRole("button", { name }).click();
      await page.getByRole("menu", { name }).waitFor();
      await check(name);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("listbox").waitFor();
    await check("commands");
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await page.getByRole("dialog").waitFor();
    await check("new workspace");
    await page.goto(`/workspaces/${id}`);
    await page.getByText("is the home now").waitFor();
    await page.getByText(/By mina/).waitFor();
    await check("a workspace");
    const screens = [
      ["/trash", "Restore"],
      ["/account", "You have no tokens."],
      ["/keys", "Create SSH key"],
      ["/admin", "Workspaces over time"],
      ["/admin/workspaces", "2 found"],
      ["/admin/users", "Create user"],
      ["/admin/audit", "Download as CSV"],
      ["/admin/usage", "Download as CSV"],
      ["/nowhere", "There is nothing at this address"],
    ] as const;
    for (const [path, sign] of screens) {
      await page.goto(path);
      if (path !== "/account") await page.getByText(sign).first().waitFor();
      else await page.getByRole("heading", { name: "API tokens" }).waitFor();
      await check(path);
      if (path !== "/trash") continue;
      await page.getByRole("button", { name: sign }).click();
      await page.getByRole("region", { name: "Messages" }).getByRole("listitem").waitFor();
      await check("a message");
    }
    await person.context.close();
    expect(person.complaints).toEqual([]);
  });
});

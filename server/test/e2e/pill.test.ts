import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { browserIsHere } from "./browser.ts";
import { keyboardOf } from "./keyboard.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const MINUTE = 60_000;

describe.skipIf(!browserIsHere())("the pill in the IDE", () => {
  const stage = setStage();

  const pill = (ide: Page) => ide.getByRole("button", { name: /^Workspace Payments/ });
  const menu = (ide: Page) => ide.getByRole("dialog", { name: "Workspace Payments" });
  const boxOf = async (ide: Page, selector: string) => {
    const box = await ide.locator(selector).first().boundingBox();
    if (box === null) throw new Error(`${selector} is not to be seen`);
    return box;
  };
  /** What lies over the editor's part of the window: nothing of ours may. */
  const isOver = (one: { y: number; height: number }, other: { y: number; height: number }) =>
    one.y < other.y + other.height && other.y < one.y + one.height;

  async function openIde(): Promise<{ ide: Page; id: string }> {
    const { visitor, api } = stage;
    await visitor.signIn(admin);
    const { id } = await api.createWorkspace({ body: { name: "Payments", desired_state: "RUNNING" } });
    const ide = await visitor.context.newPage();
    await ide.goto(`/w/${id}`);
    await ide.locator(".monaco-workbench").waitFor({ timeout: 90_000 });
    await pill(ide).waitFor({ timeout: 30_000 });
    return { ide, id };
  }

  it("says which workspace it is and when it sleeps, on the IDE's bar and in its colours, and keeps it awake", async () => {
    const { api } = stage;
    const { ide, id } = await openIde();
    expect(await pill(ide).textContent()).toMatch(/^Payments\s*sleeps in \d+ min$/);
    // The Explorer of every home would say "coder".
    const headed = (folder: string) =>
      ide
        .getByRole("button", { name: `Explorer Section: ${folder}` })
        .locator(".title")
        .evaluate((title) => title.ownerDocument.defaultView?.getComputedStyle(title, "::after").content);
    await expect.poll(() => headed("coder")).toBe('"Payments"');
    const bar = await boxOf(ide, ".part.statusbar");
    const own = await boxOf(ide, "#codehub-pill .pill");
    expect(own.y >= bar.y - 1 && own.y + own.height <= bar.y + bar.height + 1).toBe(true);
    expect(isOver(own, await boxOf(ide, ".part.editor"))).toBe(false);
    expect((await violations(ide)).filter((text) => text.includes("codehub"))).toEqual([]);

    // By keyboard alone: reached over the IDE's own way to its status bar, opened, read, used and closed.
    const keys = await keyboardOf(ide, []);
    await keys.press("F6");
    const part = () => ide.evaluate("document.activeElement?.closest('.part')?.id");
    await expect.poll(part).toBe("workbench.parts.statusbar");
    await keys.press("Tab");
    await keys.has(pill(ide));
    await ide.keyboard.press("Enter");
    await menu(ide).getByText("With nobody in it, it goes to standby in").waitFor();
    await ide.keyboard.press("Escape");
    await menu(ide).waitFor({ state: "detached" });
    await ide.keyboard.press("Enter");
    await menu(ide).getByRole("button", { name: "Keep awake for an hour" }).press("Enter");
    await ide.getByRole("button", { name: /^Workspace Payments, awake 60 min/ }).waitFor();
    const { keep_awake_until: until } = await api.getWorkspace({ params: { id } });
    expect(Date.parse(until ?? "") - Date.now()).toBeGreaterThan(55 * MINUTE);
    const history = await api.listHistory({ params: { id } });
    expect(history.items.some(({ kind }) => kind === "awake")).toBe(true);

    await pill(ide).click();
    const links = await menu(ide)
      .getByRole("link")
      .evaluateAll((all) => all.map((link) => [link.textContent, new URL(String(link.getAttribute("href"))).pathname]));
    expect(links).toEqual([
      ["Ports", `/workspaces/${id}`],
      ["Settings, stop, delete", `/workspaces/${id}`],
      ["Back to the dashboard", "/"],
    ]);
    await menu(ide).getByRole("button", { name: "Show only a dot" }).click();
    expect((await boxOf(ide, "#codehub-pill .pill")).width).toBeLessThan(28);
    await pill(ide).click();
    await menu(ide).getByRole("button", { name: "Show the name" }).click();

    // Moved along the bar, and it stays there.
    const from = await boxOf(ide, "#codehub-pill .pill");
    await ide.mouse.move(from.x + 10, from.y + 8);
    await ide.mouse.down();
    await ide.mouse.move(from.x + 260, from.y + 8, { steps: 5 });
    await ide.mouse.up();
    expect((await boxOf(ide, "#codehub-pill .pill")).x).toBeGreaterThan(from.x + 100);
    expect(await menu(ide).count()).toBe(0);

    // Without root a home is where the server keeps it, below its workspace's id. That path is right here, too.
    await ide.goto(`${new URL(ide.url()).origin}/?folder=${stage.program.dataDir}/homes/${id}`);
    await pill(ide).waitFor({ timeout: 90_000 });
    await expect.poll(() => headed(id)).toBe('"Payments"');

    const shade = () => ide.locator("#codehub-pill .root").evaluate((root) => root.classList.contains("dark"));
    const isDark = () => ide.locator(".monaco-workbench").evaluate((all) => all.matches(".vs-dark, .hc-black"));
    expect(await shade()).toBe(await isDark());
  });

  it("warns before it sleeps, and a key answers", async () => {
    const { ide } = await openIde();
    // The server's own answer but for the time that is left; what that is, is the server's business and tested there.
    const word = (await ide.evaluate(async () => (await fetch("/.codehub/state")).json())) as { pill: object };
    const json = { ...word, pill: { ...word.pill, sleeps_in_ms: 90_000 } };
    await ide.route("**/.codehub/state", (route) => route.fulfill({ json }));
    const warning = ide.getByRole("alert").filter({ hasText: "Payments is about to sleep" });
    await warning.waitFor();
    expect(await warning.textContent()).toMatch(/In (\d+ s|[12] min) it goes to standby/);
    expect((await violations(ide)).filter((text) => text.includes("codehub"))).toEqual([]);
    await ide.keyboard.press("Shift");
    await warning.waitFor({ state: "detached" });

    // A disk that fills is told of until somebody has seen it, and again when it is fuller.
    const full = ide.getByRole("alert").filter({ hasText: "of this home is" });
    const fill = async (used_bytes: number) => {
      await ide.unroute("**/.codehub/state");
      const disk = { used_bytes, total_bytes: 100, shared: false };
      await ide.route("**/.codehub/state", (route) =>
        route.fulfill({ json: { ...word, pill: { ...word.pill, disk } } }),
      );
    };
    await fill(91);
    await full.getByText("The disk of this home is 91 % full.").waitFor();
    expect((await violations(ide)).filter((text) => text.includes("codehub"))).toEqual([]);
    await full.getByRole("button", { name: "Close" }).click();
    await full.waitFor({ state: "detached" });
    await fill(96);
    await full.getByText("96 % full").waitFor();
    expect(await full.getByRole("link", { name: "Free some space" }).getAttribute("href")).toContain("/workspaces/");
  });
});

import type { Workspace } from "@codehub/contract";
import { describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { browserIsHere } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const originOf = ({ address }: Workspace): string => new URL(address?.url ?? "").origin;

describe.skipIf(!browserIsHere())("the address of a workspace", () => {
  const stage = setStage();

  it("is in words, stays when the name changes, and is left for another where every old link leads", async () => {
    const { api, visitor } = stage;
    const { page, context } = visitor;
    await visitor.signIn(admin);
    const made = await api.createWorkspace({ body: { name: "Payments API", desired_state: "RUNNING" } });
    const params = { id: made.id };
    expect(originOf(made)).toMatch(/^http:\/\/payments-api-\w{6}\.localhost:\d+$/);
    const ide = await context.newPage();
    await ide.goto(`/w/${made.id}/`);
    await ide.locator(".monaco-workbench").waitFor({ timeout: 90_000 });
    expect(new URL(ide.url()).origin).toBe(originOf(made));
    await expect.poll(() => ide.title()).toContain("Payments API");
    expect(await ide.evaluate("fetch('/healthz').then(({ status }) => status)")).toBe(200);

    expect(originOf(await api.updateWorkspace({ params, body: { name: "Billing" } }))).toBe(originOf(made));
    await page.goto(`/workspaces/${made.id}`);
    await page.getByText(`${originOf(made)}/`).waitFor();
    await page.getByRole("button", { name: "Change address" }).click();
    const dialog = page.getByRole("dialog", { name: /^Change the address of “Billing”/ });
    await dialog.getByText("unsaved tabs in this browser stay behind").waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Change address" }).click();
    await dialog.waitFor({ state: "detached" });
    const moved = await api.getWorkspace({ params });
    expect(originOf(moved)).toMatch(/^http:\/\/billing-\w{6}\./);
    await page.getByText(`${originOf(moved)}/`).waitFor();

    // The tab at the old address gets nothing any more.
    await expect.poll(() => ide.evaluate("fetch('/healthz').then(({ status }) => status)")).toBe(401);
    for (const old of [originOf(made), `http://${made.id}.${new URL(originOf(made)).host.replace(/^[^.]+\./, "")}`]) {
      const tab = await context.newPage();
      await tab.goto(`${old}/?folder=/home/coder`);
      await tab.locator(".monaco-workbench").waitFor({ timeout: 90_000 });
      expect(new URL(tab.url()).origin).toBe(originOf(moved));
      await tab.close();
    }
  });
});

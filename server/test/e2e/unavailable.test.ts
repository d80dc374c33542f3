import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { placeFakeIde } from "../stories/fake-ide-install.ts";
import { violations } from "./axe.ts";
import { browserIsHere, type Visitor } from "./browser.ts";
import { admin, startProgram } from "./program.ts";
import { setStage } from "./suite.ts";

/** Everything but who is here, which is asked first. */
const QUESTIONS = /\/api\/v1\/(?!auth\/session)/;
const away = {
  code: "DATABASE_UNAVAILABLE",
  message: "The database cannot be reached at the moment.",
  action: "Try again shortly. Workspaces that run are not affected.",
};
const broken = { code: "INTERNAL", message: "Something went wrong on the server.", action: "Try again." };

describe.skipIf(!browserIsHere())("what pages say while the server does not answer", () => {
  const stage = setStage(
    () => ({}),
    (environment) => startProgram(environment, placeFakeIde),
  );
  let page: Page;
  let visitor: Visitor;
  beforeEach(async () => {
    ({ visitor } = stage);
    ({ page } = visitor);
    await visitor.signIn(admin);
  });
  const answer = (status: number, error: object) =>
    page.route(QUESTIONS, (route) =>
      route.fulfill({ status, json: { error: { ...error, request_id: "7d0c1f2e", details: {} } } }),
    );
  const heard = () => visitor.complaints.splice(0).filter((text) => !/ERR_|50[03]/.test(text));
  const problem = (title: string) => page.getByRole("alert").filter({ hasText: title });

  it("they say what is on its way, with their own heading", async () => {
    const { id } = await stage.api.createWorkspace({ body: { name: "kept", desired_state: "ARCHIVED" } });
    await page.route(QUESTIONS, () => {});
    const waiting = {
      "/": ["Workspaces", "Loading workspaces"],
      "/trash": ["Trash", "Loading workspaces"],
      [`/workspaces/${id}`]: ["Workspace", "Loading the workspace"],
      "/account": ["Account", "Loading your tokens"],
      "/keys": ["Keys and variables", "Loading your keys"],
      "/admin": ["Admin", "Loading the overview"],
      "/admin/workspaces": ["Admin", "Loading everybody's workspaces"],
      "/admin/users": ["Admin", "Loading users"],
      "/admin/usage": ["Admin", "Adding up"],
      "/admin/audit": ["Admin", "Loading the log"],
    };
    for (const [path, [heading = "", words = ""]] of Object.entries(waiting)) {
      await page.goto(path, { waitUntil: "commit" });
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await page.getByRole("status").filter({ hasText: words }).waitFor();
    }
    expect(heard()).toEqual([]);
  });

  it("they say why nothing is there, never that there is nothing, and are whole when it is over", async () => {
    const { id } = await stage.api.createWorkspace({ body: { name: "kept", desired_state: "ARCHIVED" } });
    const screens = {
      "/": ["The workspaces cannot be loaded", "kept"],
      "/trash": ["The workspaces cannot be loaded", "The trash is empty"],
      [`/workspaces/${id}`]: ["The workspace cannot be loaded", "Home safety"],
      "/account": ["Your tokens cannot be loaded", "test"],
      "/keys": ["What you keep cannot be loaded", "Create SSH key"],
      "/admin": ["The overview cannot be loaded", "Workspaces over time"],
      "/admin/workspaces": ["The list cannot be loaded", "kept"],
      "/admin/users": ["The users cannot be loaded", "Administrator ·"],
      "/admin/audit": ["The log cannot be loaded", "Download as CSV"],
    };
    for (const [path, [title = "", content = ""]] of Object.entries(screens)) {
      await answer(503, away);
      await page.goto(path);
      await page.getByText(title).first().waitFor();
      // Nothing is shown that could be old.
      await page.getByText("Offline", { exact: true }).waitFor();
      expect(await page.getByText(/^(You have no tokens|The trash is empty|Nothing found)/).count(), path).toBe(0);
      expect(await violations(page), path).toEqual([]);
      await page.unroute(QUESTIONS);
      // Nobody has to load the page anew: it goes on by itself, or at once when asked to.
      const now = page.getByRole("button", { name: "Try now" });
      if ((await now.count()) === 1) await now.click();
      await page.getByText(content).first().waitFor();
      await page.getByText(title).waitFor({ state: "detached" });
    }
    expect(heard()).toEqual([]);
  });

  it("each card of a workspace says it for itself, and none that there is nothing", async () => {
    const { id } = await stage.api.createWorkspace({ body: { name: "kept", desired_state: "ARCHIVED" } });
    const parts = new RegExp(`/api/v1/workspaces/${id}/`);
    await page.route(parts, (route) =>
      route.fulfill({ status: 503, json: { error: { ...away, request_id: "7d0c1f2e", details: {} } } }),
    );
    await page.goto(`/workspaces/${id}`);
    const cards = {
      Lifecycle: "Not known just now",
      Ports: "The ports cannot be loaded",
      Usage: "The usage cannot be loaded",
      History: "The history cannot be loaded",
      "Home safety": "The archives cannot be loaded",
      "Variables and secrets": "They cannot be loaded",
    };
    for (const [card, words] of Object.entries(cards))
      await page.getByRole("region", { name: card, exact: true }).getByText(words).waitFor();
    expect(await page.getByText(/^None yet|^No program listens|^Measured once a minute/).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.unroute(parts);
    await page
      .getByRole("region", { name: "History" })
      .getByText(/^Created/)
      .waitFor();
    await page
      .getByRole("region", { name: "Lifecycle" })
      .getByText(/^Archived since/)
      .waitFor();
    expect(heard()).toEqual([]);
  });

  it("a phone shows which tab it is, and weeks without use say so", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto("/admin/audit");
    const tab = page.getByRole("link", { name: "Audit log" });
    await page.getByRole("table").waitFor();
    const box = await tab.boundingBox();
    expect((box?.x ?? 0) >= 0 && (box?.x ?? 0) + (box?.width ?? 390) <= 390).toBe(true);
    await stage.api.createWorkspace({ body: { name: "unused", desired_state: "ARCHIVED" } });
    await page.goto("/admin/usage");
    await page.getByText("Nothing was used").or(page.getByText("nothing in these weeks").first()).waitFor();
    expect(await page.getByText(/^up to 0/).count()).toBe(0);
    expect(heard()).toEqual([]);
  });

  it("a fault of the server is told with the id by which it is found, and asked for again by itself", async () => {
    await answer(500, broken);
    await page.goto("/admin/users");
    await problem("The users cannot be loaded").getByText("Request id: 7d0c1f2e.").waitFor();
    await page.unroute(QUESTIONS);
    await page.getByRole("list", { name: "Users" }).waitFor();
    expect(heard()).toEqual([]);
  });

  it("what was there before stays, and is said to be old", async () => {
    await stage.api.createWorkspace({ body: { name: "kept", desired_state: "ARCHIVED" } });
    await page.goto("/admin/workspaces");
    const row = page.getByRole("row").filter({ hasText: "kept" });
    await row.waitFor();
    await page.route(QUESTIONS, (route) => route.abort("internetdisconnected"));
    await page.getByRole("status").filter({ hasText: "This may be out of date" }).waitFor();
    await row.waitFor();
    await page.unroute(QUESTIONS);
    await page.getByText("This may be out of date").waitFor({ state: "detached" });
    expect(heard()).toEqual([]);
  });
});

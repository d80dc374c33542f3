import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneTemplate, startTestServer, type TestDatabase, type TestServer } from "../postgres/test-server.ts";
import { browserIsHere } from "./browser.ts";
import { admin } from "./program.ts";
import { seedMany } from "./seed.ts";
import { setStage } from "./suite.ts";

const COUNT = 1000;

describe.skipIf(!browserIsHere())("a thousand workspaces", () => {
  let server: TestServer;
  let database: TestDatabase;
  beforeAll(async () => {
    server = await startTestServer();
    database = await cloneTemplate(server.url);
  });
  afterAll(async () => {
    await database?.drop();
    await server?.stop();
  });
  const stage = setStage(() => ({ DATABASE_URL: database.url }));
  // After the program's own start, which makes the user they belong to.
  beforeAll(async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ id: string }>("SELECT id FROM users");
    await seedMany(client, rows[0]?.id ?? "", COUNT);
    await client.end();
  });

  it("draws only what is seen, and finds any of them at once", async () => {
    const { visitor } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    await page.getByLabel("Sort by").selectOption("name");
    await page.getByRole("link", { name: "workspace 1", exact: true }).waitFor();
    const table = page.getByRole("table", { name: "Workspaces" });
    expect(await table.getAttribute("aria-rowcount")).toBe(String(COUNT + 1));
    const drawn = () => page.locator("[data-row]").count();
    expect(await drawn()).toBeLessThan(40);

    // The far end by scrolling, a row in the middle by searching, and a long way by the keyboard.
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    await page.getByRole("link", { name: `workspace ${COUNT}`, exact: true }).waitFor();
    expect(await drawn()).toBeLessThan(40);
    await page.getByLabel("Search workspaces").fill("workspace 517");
    await page.getByRole("link", { name: "workspace 517", exact: true }).waitFor();
    await expect.poll(drawn).toBe(1);
    await page.getByLabel("Search workspaces").fill("");
    await expect.poll(drawn).toBeGreaterThan(1);
    await page.getByRole("link", { name: "workspace 1", exact: true }).waitFor();
    await page.getByLabel("Search workspaces").press("ArrowDown");
    for (let step = 0; step < 60; step += 1) await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("workspace 61");
    await page.getByLabel("Select all that are listed").check();
    await page.getByText("1,000 selected").waitFor();
  });

  it("leads an administrator page by page there and back, also where a page was loaded again", async () => {
    const { page, signIn } = stage.visitor;
    await signIn(admin);
    await page.goto("/admin/workspaces?sort=name");
    const first = () => page.locator("[data-name-link]").first().textContent();
    const turn = async (name: string, to: (text: string | null) => boolean) => {
      await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name }).click();
      await expect.poll(async () => to(await first())).toBe(true);
      return first();
    };
    await expect.poll(first).toMatch(/^workspace /);
    const one = await first();
    const two = await turn("Next", (text) => text !== one && text !== null);
    const three = await turn("Next", (text) => text !== two && text !== one && text !== null);
    await page.reload();
    await expect.poll(first).toBe(three);
    await turn("Previous", (text) => text === two);
    await page.reload();
    await turn("Previous", (text) => text === one);
    // Whoever was sent a link to a later page came from none.
    await turn("Next", (text) => text === two);
    await page.evaluate("sessionStorage.clear()");
    await page.reload();
    await turn("First page", (text) => text === one);
  });
});

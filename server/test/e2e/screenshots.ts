import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { startRedis } from "../api/redis-server.ts";
import { cloneTemplate, startTestServer } from "../postgres/test-server.ts";
import { browserIsHere, launchBrowser, visit } from "./browser.ts";
import { admin, startProgram } from "./program.ts";
import { seedPictures } from "./seed.ts";
import { seedRepositories } from "./seed-repositories.ts";

/**
 * npm run screenshots: every screen, light, dark and on a phone, into ./screenshots. The server is the real one without a
 * coordinator, so that the rows stay as they were put there. With --readme only the two pictures of the README are made,
 * into docs/images.
 */

const forReadme = process.argv.includes("--readme");
const folder = resolve(forReadme ? "docs/images" : "screenshots");

const looks: readonly { readonly name: string; readonly options: BrowserContextOptions; readonly wide: boolean }[] = [
  { name: "light", options: { colorScheme: "light", viewport: { width: 1440, height: 900 } }, wide: true },
  { name: "dark", options: { colorScheme: "dark", viewport: { width: 1440, height: 900 } }, wide: true },
  {
    name: "phone",
    options: { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true },
    wide: false,
  },
];

interface Screen {
  readonly name: string;
  readonly path: string;
  /** A text that is there once the screen is whole. */
  readonly sign: string | RegExp;
}

const screensFor = (ids: ReadonlyMap<string, string>): readonly Screen[] => [
  { name: "workspaces", path: "/", sign: "payments-service" },
  { name: "workspace", path: `/workspaces/${ids.get("payments-service")}`, sign: /^To be running\. By mina/ },
  { name: "workspace-restoring", path: `/workspaces/${ids.get("thesis")}`, sign: "Unpack into a new volume" },
  { name: "workspace-error", path: `/workspaces/${ids.get("design-system")}`, sign: "Start with an empty home" },
  { name: "repository-preparing", path: `/workspaces/${ids.get("website")}`, sign: /^Cloning .*58 %/ },
  { name: "repository-ready", path: `/workspaces/${ids.get("compiler")}`, sign: "9f2c4e1b7a" },
  { name: "repository-failed", path: `/workspaces/${ids.get("firmware")}`, sign: "What git said" },
  { name: "repository-skipped", path: `/workspaces/${ids.get("handbook")}`, sign: "Get it now" },
  { name: "waiting-for-repository", path: `/w/${ids.get("website")}/`, sign: /^Cloning .*58 %/ },
  {
    name: "new-from-repository",
    path: `/new?repo=${encodeURIComponent("https://git.example.com/team/compiler/pull/12")}`,
    sign: "You have this repository already",
  },
  { name: "trash", path: "/trash", sign: "old-demo" },
  { name: "account", path: "/account", sign: "You have no tokens." },
  { name: "keys", path: "/keys", sign: "Create SSH key" },
  { name: "admin", path: "/admin", sign: "Workspaces over time" },
  { name: "admin-workspaces", path: "/admin/workspaces", sign: "payments-service" },
  { name: "admin-users", path: "/admin/users", sign: "Create user" },
  { name: "admin-usage", path: "/admin/usage", sign: "Download as CSV" },
  { name: "admin-audit", path: "/admin/audit", sign: "Signed in" },
];

/** A dialog is in the middle of the window, whatever the length of the page below it. */
const overlaid: ReadonlySet<string> = new Set(["workspace-error", "new-from-repository"]);

async function picture(page: Page, name: string, whole: boolean): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: whole, animations: "disabled" });
  console.log(`${name}.png`);
}

async function take(
  browser: Browser,
  url: string,
  look: (typeof looks)[number],
  screens: readonly Screen[],
): Promise<string[]> {
  const person = await visit(browser, url, { ...look.options, reducedMotion: "reduce" });
  const { page } = person;
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await picture(page, `sign-in-${look.name}`, false);
  await person.signIn(admin);
  for (const { name, path, sign } of screens) {
    await page.goto(path);
    if (name === "workspace-error") await page.getByRole("button", { name: "Recover" }).first().click();
    await page.getByText(sign).first().waitFor();
    if (name === "repository-failed") for (const fold of await page.locator("summary").all()) await fold.click();
    await picture(page, `${name}-${look.name}`, !overlaid.has(name));
  }
  await page.goto("/");
  await page.getByRole("button", { name: "More for payments-service" }).click();
  await page.getByRole("menu").waitFor();
  await picture(page, `menu-${look.name}`, false);
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.getByRole("dialog").waitFor();
  await picture(page, `new-workspace-${look.name}`, false);
  await person.context.close();
  return person.complaints;
}

async function takeForReadme(browser: Browser, url: string, ids: ReadonlyMap<string, string>): Promise<void> {
  const viewport = { width: 1280, height: 820 };
  for (const [name, colorScheme, path, sign] of [
    ["workspaces", "light", "/", "payments-service"],
    ["workspace", "dark", `/workspaces/${ids.get("payments-service")}`, /^To be running\. By mina/],
  ] as const) {
    const person = await visit(browser, url, { viewport, colorScheme, reducedMotion: "reduce" });
    await person.signIn(admin);
    await person.page.getByRole("button", { name: "Understood" }).click();
    await person.page.goto(path);
    await person.page.getByText(sign).first().waitFor();
    await picture(person.page, name, false);
    await person.context.close();
  }
}

async function welcome(browser: Browser, url: string): Promise<void> {
  for (const look of looks) {
    const person = await visit(browser, url, look.options);
    await person.signIn(admin);
    await person.page.getByRole("heading", { name: /Welcome/ }).waitFor();
    await picture(person.page, `welcome-${look.name}`, false);
    await person.context.close();
  }
}

if (!browserIsHere()) process.exit(1);
await mkdir(folder, { recursive: true });
const server = await startTestServer();
const database = await cloneTemplate(server.url);
const redis = await startRedis();
const program = await startProgram({ DATABASE_URL: database.url, REDIS_URL: redis.url, ROLES: "api,proxy" });
const browser = await launchBrowser();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
try {
  if (!forReadme) await welcome(browser, program.url);
  const { rows } = await client.query<{ id: string }>("SELECT id FROM users");
  const owner = rows[0]?.id ?? "";
  const ids = new Map(await seedPictures(client, owner));
  if (!forReadme) for (const [name, id] of await seedRepositories(client, owner)) ids.set(name, id);
  await client.query(
    `INSERT INTO users (id, username, password_hash, role, must_change_password)
     VALUES (gen_random_uuid(), 'jun', 'x', 'user', true), (gen_random_uuid(), 'hana', 'x', 'user', false)`,
  );
  const complaints: string[] = [];
  if (forReadme) await takeForReadme(browser, program.url, ids);
  else for (const look of looks) complaints.push(...(await take(browser, program.url, look, screensFor(ids))));
  if (complaints.length > 0) throw new Error(`The browser complained:\n${complaints.join("\n")}`);
} finally {
  await client.end();
  await browser.close();
  await program.stop();
  await redis[Symbol.asyncDispose]();
  await database.drop();
  await server.stop();
}

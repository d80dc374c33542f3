import pg from "pg";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { startRedis } from "../test/api/redis-server.ts";
import { launchBrowser, visit } from "../test/e2e/browser.ts";
import { admin, startProgram } from "../test/e2e/program.ts";
import { seedList } from "../test/e2e/seed.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import { rowsPainted, watchRows } from "./list-page/painted.ts";
import { StaticPage } from "./list-page/static-page.ts";
import type { BenchResult } from "./result.ts";
import { median } from "./shared/median.ts";

const OWNERS = 200;
const WORKSPACES = 10_000;
const WARM_LOADS = 40;
const COLD_LOADS = 10;
const PATH = "/admin/workspaces";

/**
 * From navigating to the list of everybody's workspaces until its first rows are painted, in Chromium, with ten thousand
 * workspaces of two hundred people. `warm` is a browser that was there before, `cold` one that has nothing of the page. The
 * peer is a file: what the browser had drawn, with the same styles and no script, served by nothing but Node. In turns.
 */
export async function run(): Promise<BenchResult> {
  const server = await startTestServer();
  const database = await cloneTemplate(server.url);
  const redis = await startRedis();
  // Without a coordinator the rows stay as they were put there.
  const program = await startProgram({ DATABASE_URL: database.url, REDIS_URL: redis.url, ROLES: "api,proxy" });
  const browser = await launchBrowser();
  try {
    await populate(database.url);
    const person = await visit(browser, program.url);
    await person.signIn(admin);
    const { context } = person;
    await watchRows(context);
    await load(context, program.url + PATH);
    await expectRows(person.page, program.url + PATH);
    await using peer = await StaticPage.of(person.page);
    const signedIn: BrowserContextOptions = { storageState: await context.storageState() };
    const samples = { ours: [] as number[], file: [] as number[], cold: [] as number[], coldFile: [] as number[] };
    await load(context, peer.url);
    for (let round = 0; round < WARM_LOADS; round += 1) {
      samples.file.push(await load(context, peer.url));
      samples.ours.push(await load(context, program.url + PATH));
    }
    for (let round = 0; round < COLD_LOADS; round += 1) {
      samples.coldFile.push(await loadCold(browser, signedIn, peer.url));
      samples.cold.push(await loadCold(browser, signedIn, program.url + PATH));
    }
    return {
      metrics: {
        workspaces: WORKSPACES,
        rows_p50_ms: share(samples.ours, 0.5),
        rows_p95_ms: share(samples.ours, 0.95),
        cold_p50_ms: share(samples.cold, 0.5),
        cold_p95_ms: share(samples.cold, 0.95),
        file_p50_ms: share(samples.file, 0.5),
        file_p95_ms: share(samples.file, 0.95),
      },
      // Of each round by itself, because the two of a round have the same weather.
      ratios: {
        static_page: median(samples.ours.map((ms, round) => (samples.file[round] ?? Number.NaN) / ms)),
        static_page_cold: median(samples.cold.map((ms, round) => (samples.coldFile[round] ?? Number.NaN) / ms)),
      },
    };
  } finally {
    await browser.close();
    await program.stop();
    await redis[Symbol.asyncDispose]();
    await database.drop();
    await server.stop();
  }
}

/** The administrator's own list stays short: what is measured is the list of everybody's. */
async function populate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let index = 0; index < OWNERS; index += 1) {
      const { rows } = await client.query<{ id: string }>(
        "INSERT INTO users (id, username, password_hash, role) VALUES (gen_random_uuid(), $1, '-', 'user') RETURNING id",
        [`person-${index}`],
      );
      await seedList(client, rows[0]?.id ?? "", WORKSPACES / OWNERS);
    }
    await client.query("ANALYZE");
  } finally {
    await client.end();
  }
}

/** In a tab of its own: one that had the page before would have parts of it in hand. */
async function load(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  try {
    await page.goto(url, { waitUntil: "commit" });
    return await rowsPainted(page);
  } finally {
    await page.close();
  }
}

async function loadCold(browser: Browser, options: BrowserContextOptions, url: string): Promise<number> {
  const { context } = await visit(browser, url, options);
  try {
    await watchRows(context);
    return await load(context, url);
  } finally {
    await context.close();
  }
}

/** The right page, with all of them counted and a page of them listed. */
async function expectRows(page: Awaited<ReturnType<typeof visit>>["page"], url: string): Promise<void> {
  await page.goto(url);
  await page.getByText(`${WORKSPACES.toLocaleString("en")} found`).waitFor();
  const listed = await page.getByRole("table").getAttribute("aria-rowcount");
  if (listed !== "101") throw new Error(`the list says ${listed} rows and not a page of 100 with its heading`);
}

const share = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

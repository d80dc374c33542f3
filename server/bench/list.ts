import { type ChildProcess, execFile, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { hashSecret, newSecret } from "#api/accounts/secrets.ts";
import { seedList } from "../test/e2e/seed.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import type { BenchResult } from "./result.ts";

const ROWS = 100;
/** How many workspaces somebody has of whom a page of a hundred is asked for. */
const MORE_ROWS = [1_000, 10_000];
const MORE_ROUNDS = 3;
const ROUNDS = 15;
const SECONDS = 1;
const CONNECTIONS = 16;

interface Subject {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Sample {
  readonly rate: number;
  readonly p95Ms: number;
}

/**
 * A list of a hundred workspaces as the dashboard and scripts ask for it, against a bare Fastify route that answers the
 * same bytes: it reads the ready items with one prepared query and knows neither sessions nor filters nor rules. Both in
 * processes of their own, over the same database, in turns.
 */
export async function run(): Promise<BenchResult> {
  const server = await startTestServer();
  const children: ChildProcess[] = [];
  try {
    const database = await cloneTemplate(server.url);
    const { owner, cookie } = await populate(database.url);
    const start = async (file: string): Promise<string> => {
      const child = fork(join(import.meta.dirname, "list", file), [database.url]);
      children.push(child);
      const [url] = await once(child, "message", { signal: AbortSignal.timeout(60_000) });
      return String(url);
    };
    const query = `?limit=${ROWS}`;
    const ours = {
      url: `${await start("ours.ts")}/api/v1/workspaces${query}`,
      headers: { Host: "localhost", Cookie: cookie },
    };
    const answer = await bodyOf(ours);
    await keepItems(database.url, answer);
    const bare = { url: `${await start("bare.ts")}/list`, headers: {} };
    const same = async () => (await bodyOf(bare)) === answer && (await bodyOf(ours)) === answer;
    if (!(await same())) throw new Error("the two do not answer the same bytes");
    const samples = { ours: [] as Sample[], bare: [] as Sample[] };
    for (const subject of [bare, ours]) await load(subject, answer.length);
    for (let round = 0; round < ROUNDS; round += 1) {
      samples.bare.push(await load(bare, answer.length));
      samples.ours.push(await load(ours, answer.length));
    }
    if (!(await same())) throw new Error("the two do not answer the same bytes any more");
    const [us, peer] = [typical(samples.ours), typical(samples.bare)];
    const grown: Record<string, number> = {};
    for (const [index, rows] of MORE_ROWS.entries()) {
      await addRows(database.url, owner, rows - (MORE_ROWS[index - 1] ?? ROWS));
      const page = await bodyOf(ours);
      if (JSON.parse(page).items.length !== ROWS) throw new Error(`a page of ${rows} is not ${ROWS} rows: ${page}`);
      const rounds: Sample[] = [];
      for (let round = 0; round < MORE_ROUNDS; round += 1) rounds.push(await load(ours, page.length));
      grown[`list_per_s_of_${rows}`] = typical(rounds).rate;
    }
    return {
      metrics: {
        rows: ROWS,
        list_kb: Buffer.byteLength(answer) / 1000,
        list_per_s: us.rate,
        list_p95_ms: us.p95Ms,
        bare_per_s: peer.rate,
        bare_p95_ms: peer.p95Ms,
        ...grown,
      },
      // Of each round by itself, because the two of a round have the same weather.
      ratios: { list_bare: median(samples.ours.map(({ rate }, round) => rate / (samples.bare[round]?.rate ?? 0))) },
    };
  } finally {
    for (const child of children) {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    }
    await server.stop();
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const typical = (samples: readonly Sample[]): Sample => ({
  rate: median(samples.map(({ rate }) => rate)),
  p95Ms: median(samples.map(({ p95Ms }) => p95Ms)),
});

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const addRows = (url: string, owner: string, count: number): Promise<unknown> =>
  withClient(url, async (client) => {
    await seedList(client, owner, count);
    await client.query("ANALYZE");
  });

/** A user with a session and the workspaces. */
const populate = (url: string): Promise<{ readonly owner: string; readonly cookie: string }> =>
  withClient(url, async (client) => {
    const owner = randomUUID();
    const { secret } = newSecret();
    const insertUser = "INSERT INTO users (id, username, password_hash, role) VALUES ($1, 'bench', '-', 'user')";
    await client.query(insertUser, [owner]);
    await client.query(
      "INSERT INTO sessions (token_hash, kind, user_id, expires_at) VALUES ($1, 'dashboard', $2, now() + interval '1 hour')",
      [hashSecret(secret), owner],
    );
    await addRows(url, owner, ROWS);
    return { owner, cookie: `__Host-Http-codehub=${secret}` };
  });

/** What the peer reads: every item as it was answered, one a row. */
const keepItems = (url: string, answer: string): Promise<unknown> =>
  withClient(url, async (client) => {
    await client.query("CREATE TABLE bench_items (position integer PRIMARY KEY, item json NOT NULL)");
    const { items } = JSON.parse(answer) as { items: unknown[] };
    for (const [position, item] of items.entries())
      await client.query("INSERT INTO bench_items VALUES ($1, $2)", [position, JSON.stringify(item)]);
    await client.query("ANALYZE bench_items");
  });

async function bodyOf({ url, headers }: Subject): Promise<string> {
  const flags = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { stdout } = await promisify(execFile)("curl", ["-sS", "--fail", ...flags, url], { maxBuffer: 10_000_000 });
  return stdout;
}

/** One round with wrk: one thread, a fixed number of connections. Every answer has to be as long as the one that was compared. */
async function load({ url, headers }: Subject, bytes: number): Promise<Sample> {
  const flags = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const script = join(import.meta.dirname, "list", "report.lua");
  const args = ["-t1", `-c${CONNECTIONS}`, `-d${SECONDS}`, "--latency", "-s", script, ...flags, url];
  const { stdout } = await promisify(execFile)("wrk", args);
  const report = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  if (report.errors > 0 || report.bytes < report.requests * bytes) throw new Error(`errors under load:\n${stdout}`);
  return { rate: report.requests / report.seconds, p95Ms: report.p95_us / 1000 };
}

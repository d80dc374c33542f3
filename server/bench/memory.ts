import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@codehub/contract";
import pg from "pg";
import { apiAs, sessionCookies } from "../test/e2e/accounts.ts";
import { type Program, startProgram } from "../test/e2e/program.ts";
import type { ClientsCommand } from "./events/messages.ts";
import { type Person, settle } from "./memory/people.ts";
import { kilobytesPerWebSocket } from "./memory/websockets.ts";
import type { BenchResult } from "./result.ts";
import { parentOf, shareOf, sharesBelow } from "./shared/pss.ts";
import { Visitor } from "./shared/visit.ts";

const PEOPLE = 20;
const WORKSPACES_EACH = 5;
const STREAMS = 1_000;
/** As many as one person may have open is 64. */
const TABS = 50;
/** How long people work before it is looked at what they leave behind: minutes, and a rest of a quarter of them. */
const WORK_MS = Number(process.env["MEMORY_BENCH_WORK_MINUTES"] ?? 0.5) * 60_000;
/** Until whatever a start or a burst left behind is collected. */
const REST_MS = 15_000;
const LONG_REST_MS = Math.max(REST_MS, WORK_MS / 4);

/**
 * What `npm start` takes: the sum of the shares (PSS) of supervisor, proxy and server, at rest and with twenty people who have
 * a hundred workspaces and the dashboard open, after they have worked and gone, with ten and a hundred times as many workspaces,
 * and what a thousand more idle event streams and WebSockets cost, each. The embedded database is told apart.
 */
export async function run(): Promise<BenchResult> {
  const program = await startProgram({ TTL_STANDBY_SECONDS: "0" });
  try {
    // The first start after an installation compiles; whoever restarts a machine does not.
    await program.stopAndStart();
    const people = await withPeople(program);
    await program.stopAndStart();
    const rows = await withRows(program);
    return {
      metrics: {
        ...people,
        ...rows,
        websocket_kb: await kilobytesPerWebSocket(1_000),
        postgres_mb: await postgresMb(await databaseOf(program)),
      },
      ratios: {},
    };
  } finally {
    await program.stop();
  }
}

async function withPeople(program: Program) {
  const clients: ChildProcess[] = [];
  const { url } = program;
  try {
    const atRest = await resting(program);
    const database = await databaseOf(program);
    const people = await settle(database, PEOPLE, WORKSPACES_EACH);
    clients.push(await openStreams(url, people, 1));
    for (const person of people) await look(url, person);
    const inUse = await resting(program);
    await everyStreamHears(database, clients[0], people);
    await work(url, people);
    const worked = await resting(program);
    for (const child of clients.splice(0)) child.kill();
    const rested = await resting(program, LONG_REST_MS);
    const crowd = await settle(database, STREAMS / TABS, 0);
    clients.push(await openStreams(url, crowd, TABS));
    const crowded = await resting(program);
    return {
      work_minutes: WORK_MS / 60_000,
      at_rest_mb: atRest.total,
      in_use_mb: inUse.total,
      worked_mb: worked.total,
      rested_mb: rested.total,
      supervisor_mb: rested.supervisor,
      proxy_mb: Math.max(inUse.proxy, worked.proxy, rested.proxy),
      server_mb: rested.server,
      event_stream_kb: ((crowded.total - rested.total) * 1000) / STREAMS,
    };
  } finally {
    for (const child of clients) child.kill();
  }
}

/**
 * What people do all day: they look at their lists and workspaces and change them, and one of them has the real IDE open and
 * loads its page and its files again and again.
 */
async function work(url: string, people: readonly Person[]): Promise<void> {
  const api = await apiAs(url);
  const { id, address } = await api.createWorkspace({ body: { name: "work", desired_state: "RUNNING" } });
  const visitor = new Visitor(url, await sessionCookies(url));
  while ((await api.getWorkspace({ params: { id } })).phase !== "RUNNING") await delay(100);
  const deadline = performance.now() + WORK_MS;
  const atTheIde = async (): Promise<void> => {
    while (performance.now() < deadline) {
      const { status, body } = await visitor.open(`${url}/w/${id}/`);
      if (status !== 200 || !body.includes("code-server")) throw new Error(`the IDE did not open: ${status} ${body}`);
      const files = [...body.matchAll(/(?:src|href)="\.?(\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
      for (const path of files) await visitor.ask(new URL(path, address?.url).href);
    }
  };
  const atTheDashboard = async (): Promise<void> => {
    while (performance.now() < deadline) {
      for (const person of people) {
        await look(url, person);
        await rename(url, person);
        await delay(20);
      }
    }
  };
  await Promise.all([atTheIde(), atTheDashboard()]);
  await api.deleteWorkspace({ params: { id }, query: { purge: true, confirm: "work" } });
}

async function rename(url: string, { cookie }: Person): Promise<void> {
  const api = createClient({ baseUrl: url, fetch, headers: { origin: url, cookie } });
  const [first] = (await api.listWorkspaces({ query: { limit: 1 } })).items;
  if (first === undefined) throw new Error("somebody has no workspaces");
  const memo = `at ${performance.now()}`;
  const changed = await api.updateWorkspace({ params: { id: first.id }, body: { memo } });
  if (changed.memo !== memo) throw new Error(`the memo of ${first.id} is not ${memo}`);
}

/** After the hundred workspaces of the people, so many more that it is a thousand and ten thousand. */
async function withRows(program: Program) {
  const database = await databaseOf(program);
  await settle(database, 1, 900);
  const thousand = await resting(program);
  await settle(database, 1, 9_000);
  const tenThousand = await resting(program);
  return { rows_1000_mb: thousand.total, rows_10000_mb: tenThousand.total };
}

interface Resting {
  readonly supervisor: number;
  readonly proxy: number;
  readonly server: number;
  readonly total: number;
}

async function resting({ pidOf }: Program, restMs = REST_MS): Promise<Resting> {
  await delay(restMs);
  const [ofProxy, ofServer] = [await pidOf("proxy"), await pidOf("api")];
  const shares = await Promise.all([await parentOf(ofProxy), ofProxy, ofServer].map(shareOf));
  const [supervisor = 0, proxy = 0, server = 0] = shares.map(({ pssMb }) => pssMb);
  if (Math.min(supervisor, proxy, server) === 0) throw new Error(`not all are there: ${JSON.stringify(shares)}`);
  return { supervisor, proxy, server, total: supervisor + proxy + server };
}

/** As the programs were told by their supervisor, whose database it is. */
async function databaseOf({ pidOf }: Program): Promise<string> {
  const environment = await readFile(`/proc/${await pidOf("api")}/environ`, "utf8");
  return /(?:^|\0)DATABASE_URL=([^\0]*)/.exec(environment)?.[1] ?? "";
}

/** Event streams in a process of their own, so that what they cost at the other end is not charged to the server. */
async function openStreams(url: string, people: readonly Person[], tabs: number): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, "events", "clients.ts"));
  const { host, port } = new URL(url);
  const cookies = people.map(({ cookie }) => cookie);
  const opened = new Promise<void>((resolve, reject) => {
    child.on("message", (message: { kind: string; count?: number }) => {
      if (message.kind === "failed") reject(new Error(JSON.stringify(message)));
      if (message.count === people.length * tabs) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the clients of the bench ended with ${code}`)));
  });
  child.send({ kind: "open", url: `http://127.0.0.1:${port}`, host, cookies, tabs } satisfies ClientsCommand);
  await opened;
  return child;
}

/** What a person at the dashboard asks for; everybody has to see their own workspaces and nobody else's. */
async function look(url: string, { id, cookie }: Person): Promise<void> {
  const api = createClient({ baseUrl: url, fetch, headers: { origin: url, cookie } });
  const { items } = await api.listWorkspaces({ query: { limit: 100 } });
  if (items.length !== WORKSPACES_EACH) throw new Error(`the list of ${id} is wrong: ${JSON.stringify(items)}`);
  for (const item of items) {
    const { name, owner } = await api.getWorkspace({ params: { id: item.id } });
    if (name !== item.name || owner.id !== id) throw new Error(`${item.name} of ${id} is ${name} of ${owner.id}`);
  }
  const page = await fetch(url).then((answer) => answer.text());
  if (!page.includes("<html")) throw new Error(`the dashboard is no page: ${page}`);
}

/** A change of one workspace of each person arrives at the stream of that person, and at no other. */
async function everyStreamHears(
  database: string,
  clients: ChildProcess | undefined,
  people: readonly Person[],
): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const change = `UPDATE workspaces SET error_count = error_count + 1 WHERE id IN
    (SELECT DISTINCT ON (owner_id) id FROM workspaces WHERE owner_id = ANY ($1) ORDER BY owner_id, name) RETURNING id, row_version`;
  const { rows } = await client.query(change, [people.map(({ id }) => id)]).finally(() => client.end());
  const expected = rows.map(({ id, row_version }) => `${id} ${row_version}`);
  await delay(1_000);
  if (clients === undefined) throw new Error("nobody listens");
  const answered = once(clients, "message", { signal: AbortSignal.timeout(10_000) });
  clients.send({ kind: "report" } satisfies ClientsCommand);
  const [{ samples }] = (await answered) as [{ samples: { key: string }[] }];
  const wrong = expected.filter((change) => samples.filter(({ key }) => key === change).length !== 1);
  if (wrong.length > 0) throw new Error(`not heard at exactly one stream: ${wrong.join(", ")}`);
}

/** All processes of the database server, found from the one that serves this connection. */
async function postgresMb(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const shares = await sharesBelow(await parentOf(rows[0]?.pid ?? 0));
    return shares.reduce((sum, { pssMb }) => sum + pssMb, 0);
  } finally {
    await client.end();
  }
}

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@codehub/contract";
import pg from "pg";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import type { ClientsCommand } from "./events/messages.ts";
import { type Person, settle } from "./memory/people.ts";
import { kilobytesPerWebSocket } from "./memory/websockets.ts";
import type { BenchResult } from "./result.ts";
import { type Deployment, npmStart } from "./shared/npm-start.ts";
import { parentOf, sharesBelow } from "./shared/pss.ts";

const PEOPLE = 20;
const WORKSPACES_EACH = 5;
const STREAMS = 1_000;
/** As many as one person may have open is 64. */
const TABS = 50;
/** Until whatever a start or a burst left behind is collected. */
const REST_MS = 15_000;
const MEGABYTES = { atRest: 150, inUse: 190 };

/**
 * What `npm start` takes: the sum of the shares (PSS) of all of its processes, at rest and with twenty people who have a
 * hundred workspaces and the dashboard open, with ten and a hundred times as many workspaces, and what a thousand more idle
 * event streams and WebSockets cost, each. The database is a server of its own, which is told apart.
 */
export async function run(): Promise<BenchResult> {
  const server = await startTestServer();
  try {
    await using database = await cloneTemplate(server.url);
    await using directory = await mkdtempDisposable(join(tmpdir(), "codehub-bench-"));
    const start = () => npmStart(directory.path, { DATABASE_URL: database.url });
    // The first start after an installation compiles; whoever restarts a machine does not.
    await (await start()).stop();
    const people = await withPeople(await start(), database.url);
    const rows = await withRows(await start(), database.url);
    const { at_rest_mb: atRest, in_use_mb: inUse } = people;
    return {
      metrics: {
        ...people,
        ...rows,
        websocket_kb: await kilobytesPerWebSocket(1_000),
        postgres_mb: await postgresMb(database.url),
      },
      ratios: { at_rest_limit: MEGABYTES.atRest / atRest, in_use_limit: MEGABYTES.inUse / inUse },
    };
  } finally {
    await server.stop();
  }
}

async function withPeople(deployment: Deployment, database: string) {
  const clients: ChildProcess[] = [];
  try {
    const atRest = await restingMb(deployment.pid);
    const people = await settle(database, PEOPLE, WORKSPACES_EACH);
    clients.push(await openStreams(deployment.url, people, 1));
    for (const person of people) await look(deployment.url, person);
    const inUse = await restingMb(deployment.pid);
    const crowd = await settle(database, STREAMS / TABS, 0);
    clients.push(await openStreams(deployment.url, crowd, TABS));
    const crowded = await restingMb(deployment.pid);
    await everyStreamHears(database, clients[0], people);
    return {
      at_rest_mb: atRest.total,
      in_use_mb: inUse.total,
      supervisor_mb: inUse.supervisor,
      server_mb: inUse.total - inUse.supervisor,
      event_stream_kb: ((crowded.total - inUse.total) * 1000) / STREAMS,
    };
  } finally {
    for (const child of clients) child.kill();
    await deployment.stop();
  }
}

/** After the hundred workspaces of the people, so many more that it is a thousand and ten thousand. */
async function withRows(deployment: Deployment, database: string) {
  try {
    await settle(database, 1, 900);
    const thousand = await restingMb(deployment.pid);
    await settle(database, 1, 9_000);
    const tenThousand = await restingMb(deployment.pid);
    return { rows_1000_mb: thousand.total, rows_10000_mb: tenThousand.total };
  } finally {
    await deployment.stop();
  }
}

async function restingMb(supervisor: number): Promise<{ readonly total: number; readonly supervisor: number }> {
  await delay(REST_MS);
  const shares = await sharesBelow(supervisor);
  if (shares.length < 2) throw new Error(`a supervisor and a server were expected: ${JSON.stringify(shares)}`);
  return {
    total: shares.reduce((sum, { pssMb }) => sum + pssMb, 0),
    supervisor: shares.find(({ pid }) => pid === supervisor)?.pssMb ?? Number.NaN,
  };
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

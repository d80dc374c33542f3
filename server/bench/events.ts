import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { hashSecret, newSecret } from "#api/accounts/secrets.ts";
import { startApi, type TestApi } from "../test/api/harness.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import type { Sample } from "./events/messages.ts";
import type { BenchResult } from "./result.ts";

const USERS = 100;
const TABS = 20;
const CHANGES = 1_000;
const CHANGES_PER_SECOND = 100;

const start = (file: string, ...args: string[]): ChildProcess => fork(join(import.meta.dirname, "events", file), args);

/** The first message of this kind that fits. */
const heard = <T extends { kind: string }>(child: ChildProcess, fits: (message: T) => boolean): Promise<T> =>
  new Promise((resolve, reject) => {
    child.on("message", (message: T) => {
      if (message.kind === "failed") reject(new Error(JSON.stringify(message)));
      if (fits(message)) resolve(message);
    });
    child.once("exit", (code) => reject(new Error(`a child of the bench ended with ${code}`)));
  });

/** Users with a session and a workspace each, written directly: hashing a hundred passwords is not what is measured. */
async function populate(api: TestApi): Promise<{ cookies: string[]; workspaces: string[] }> {
  const cookies: string[] = [];
  const workspaces: string[] = [];
  for (let index = 0; index < USERS; index += 1) {
    const { secret } = newSecret();
    const user = await api.sql.query(
      "INSERT INTO users (id, username, password_hash, role) VALUES (gen_random_uuid(), $1, 'x', 'user') RETURNING id",
      [`user${index}`],
    );
    const userId = String(user.rows[0]?.id);
    await api.sql.query(
      "INSERT INTO sessions (token_hash, kind, user_id, expires_at) VALUES ($1, 'dashboard', $2, now() + interval '1 hour')",
      [hashSecret(secret), userId],
    );
    const workspace = await api.sql.query(
      "INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state) VALUES (gen_random_uuid(), $1, 'bench', 'i', 'ARCHIVED') RETURNING id",
      [userId],
    );
    cookies.push(`__Host-Http-codehub=${secret}`);
    workspaces.push(String(workspace.rows[0]?.id));
  }
  return { cookies, workspaces };
}

/** Commits at a steady pace; answers when each version's commit was sent off. */
async function change(api: TestApi, workspaces: readonly string[]): Promise<Map<string, bigint>> {
  const sent = new Map<string, bigint>();
  const begin = performance.now();
  for (let index = 0; index < CHANGES; index += 1) {
    const due = begin + (index * 1000) / CHANGES_PER_SECOND;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const id = workspaces[index % workspaces.length] ?? "";
    const at = process.hrtime.bigint();
    const row = await api.sql.query(
      "UPDATE workspaces SET error_count = error_count + 1 WHERE id = $1 RETURNING row_version",
      [id],
    );
    sent.set(`${id} ${row.rows[0]?.row_version}`, at);
  }
  return sent;
}

const latencies = (sent: ReadonlyMap<string, bigint>, samples: readonly Sample[]): number[] =>
  samples
    .flatMap(({ key, at }) => {
      const from = sent.get(key);
      return from === undefined ? [] : [Number(BigInt(at) - from) / 1e6];
    })
    .sort((a, b) => a - b);

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

/** From the sending of a commit to its arrival: at 2,000 stream clients of 100 users, and at one bare LISTEN client. */
export async function run(): Promise<BenchResult> {
  const server = await startTestServer();
  const database = await cloneTemplate(server.url);
  const api = await startApi({ databaseUrl: database.url });
  const clients = start("clients.ts");
  const bare = start("bare.ts", database.url);
  try {
    const { cookies, workspaces } = await populate(api);
    await heard(bare, ({ kind }) => kind === "ready");
    const connected = heard<{ kind: string; count: number }>(clients, ({ count }) => count === USERS * TABS);
    const begin = performance.now();
    clients.send({ kind: "open", url: api.url, host: new URL(api.origin).host, cookies, tabs: TABS });
    await connected;
    const connectMs = performance.now() - begin;
    const sent = await change(api, workspaces);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const report = async (child: ChildProcess) => {
      const answer = heard<{ kind: string; samples: Sample[] }>(child, ({ kind }) => kind === "samples");
      child.send({ kind: "report" });
      return latencies(sent, (await answer).samples);
    };
    const [ours, peer] = [await report(clients), await report(bare)];
    // A user's changes that come while a read is under way become one event, so there may be fewer; every tab hears the same.
    if (ours.length === 0 || ours.length % TABS !== 0 || ours.length > CHANGES * TABS)
      throw new Error(`${ours.length} events arrived at ${TABS} tabs each for ${CHANGES} changes`);
    if (peer.length !== CHANGES) throw new Error(`${peer.length} of ${CHANGES} changes arrived at the peer`);
    return {
      metrics: {
        clients: USERS * TABS,
        users: USERS,
        changes: CHANGES,
        connect_all_ms: connectMs,
        events_received: ours.length,
        events_expected: CHANGES * TABS,
        p50_ms: quantile(ours, 0.5),
        p99_ms: quantile(ours, 0.99),
        bare_p50_ms: quantile(peer, 0.5),
        bare_p99_ms: quantile(peer, 0.99),
        bare_received: peer.length,
        server_rss_mb: process.memoryUsage.rss() / 1e6,
      },
      ratios: { bare_listen: quantile(peer, 0.5) / quantile(ours, 0.5) },
    };
  } finally {
    clients.kill();
    bare.kill();
    await api[Symbol.asyncDispose]();
    await database.drop();
    await server.stop();
  }
}

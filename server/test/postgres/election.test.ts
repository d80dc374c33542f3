import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Transform } from "node:stream";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PoolerRefused, withSettings } from "#adapters/postgres/connection.ts";
import { PostgresElection } from "#adapters/postgres/election.ts";
import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import type { ProcessIdentity } from "#core/rules/succession.ts";
import type { Term } from "#ports/election.ts";
import { NotLeader } from "#ports/store.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";
import { recordingLogger } from "./recording-logger.ts";

let database: PostgresFixture;
let terms: Term[];
const never = new AbortController().signal;

beforeEach(async () => {
  database = await openPostgres();
  terms = [];
});

afterEach(async () => {
  await Promise.all(terms.map((term) => term.release()));
  await database.close();
});

const identityOf = (holder: string): ProcessIdentity => ({
  machineId: null,
  bootId: "boot",
  pidNamespace: "pid:[1]",
  networkNamespace: "net:[1]",
  timeNamespace: "time:[1]",
  pid: 1,
  startTicks: holder,
});

const electionOf = (
  holder: string,
  url = database.url,
  logger = recordingLogger(),
  pingTimeoutMs = 2_000,
): PostgresElection => {
  const identity = async () => identityOf(holder);
  return new PostgresElection({ url, pool: database.coordinator, holder, identity, logger, pingTimeoutMs });
};

async function campaign(election: PostgresElection): Promise<Term | null> {
  const term = await election.campaign(never);
  if (term !== null) terms.push(term);
  return term;
}

async function win(election: PostgresElection): Promise<Term> {
  for (;;) {
    const term = await campaign(election);
    if (term !== null) return term;
  }
}

const endLeaderSession = (): Promise<unknown> =>
  database.admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'codehub leader%'",
  );

test("one of many leads, and whoever comes after it has a higher epoch", async () => {
  const elections = ["a", "b", "c", "d"].map((holder) => electionOf(holder));
  const outcomes = await Promise.all(elections.map(campaign));
  const [leader, ...others] = outcomes.filter((term) => term !== null);
  expect(others).toEqual([]);
  const [{ now }] = (await database.admin.query("SELECT clock_timestamp() AS now")).rows;
  expect(await leader?.ping()).toBeGreaterThanOrEqual(new Date(now).getTime());
  await leader?.release();
  const next = await win(electionOf("e"));
  expect(next.epoch).toBeGreaterThan(leader?.epoch ?? Number.NaN);
});

test("a leader whose session is ended learns it, and its successor's writes are the only ones", async () => {
  const first = await win(electionOf("first"));
  const lost = once(first.lost, "abort");
  await endLeaderSession();
  await lost;
  await expect(first.ping()).rejects.toThrow();
  const second = await win(electionOf("second"));
  await expect(first.store.nextGeneration()).rejects.toBeInstanceOf(NotLeader);
  expect(await second.store.nextGeneration()).toBe(1);
});

test("a holder that falls silent is dropped by the server", async () => {
  const frozen = await win(electionOf("frozen"));
  expect(await campaign(electionOf("waiting"))).toBeNull();
  // Nobody pings: the server ends the session by itself, as it would that of a frozen process.
  await once(frozen.lost, "abort");
  expect((await win(electionOf("next"))).epoch).toBeGreaterThan(frozen.epoch);
});

const PING_LIMIT_MS = 100;

test("an answer that came while this process could not run counts as one", async () => {
  const term = await win(electionOf("busy", database.url, recordingLogger(), PING_LIMIT_MS));
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = term.ping();
    // Nothing runs here for three times as long as the server may take.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * PING_LIMIT_MS);
    expect(await answer).toBeGreaterThan(0);
  }
  expect(term.lost.aborted).toBe(false);
});

test("a server that does not answer in time has lost its leader", async () => {
  const dir = await mkdtemp(join(tmpdir(), "codehub-silent-"));
  const { url, server, silence } = await relayBefore(database.url, dir);
  try {
    const term = await win(electionOf("cut off", url, recordingLogger(), PING_LIMIT_MS));
    expect(await term.ping()).toBeGreaterThan(0);
    silence();
    await expect(term.ping()).rejects.toThrow(`did not answer within ${PING_LIMIT_MS} ms`);
    expect(term.lost.aborted).toBe(true);
  } finally {
    server.close();
    await rm(dir, { recursive: true });
  }
});

test("a new epoch waits for the old leader's open transaction", async () => {
  const old = await win(electionOf("old"));
  const open = new pg.Client({ connectionString: withSettings(database.url, { role: COORDINATOR_ROLE }) });
  await open.connect();
  await open.query("BEGIN");
  await open.query("SELECT FROM leader WHERE epoch = $1 FOR SHARE", [old.epoch]);
  await old.release();
  const order: string[] = [];
  const successor = win(electionOf("new")).then((term) => {
    order.push("minted");
    return term;
  });
  await expect
    .poll(async () => (await database.admin.query("SELECT FROM pg_locks WHERE NOT granted")).rowCount)
    .toBeGreaterThan(0);
  order.push("committed");
  await open.query("COMMIT");
  await open.end();
  expect((await successor).epoch).toBe(old.epoch + 1);
  expect(order).toEqual(["committed", "minted"]);
});

test("a term tells who led before, and what is on record of it", async () => {
  const nobody = await win(electionOf("first"));
  expect(nobody.former).toEqual({ epoch: nobody.epoch - 1, holder: null, begun: false, ended: false });
  await nobody.release();
  const waiting = await win(electionOf("waiting"));
  const first = { epoch: nobody.epoch, holder: identityOf("first"), begun: false, ended: false };
  expect(waiting.former).toEqual(first);
  await waiting.begin();
  await waiting.release();
  const began = await win(electionOf("began"));
  expect(began.former).toEqual({ epoch: waiting.epoch, holder: identityOf("waiting"), begun: true, ended: false });
  await began.begin();
  await began.end();
  await began.release();
  const ended = await win(electionOf("ended"));
  expect(ended.former).toEqual({ epoch: began.epoch, holder: identityOf("began"), begun: true, ended: true });
});

test("what is on record of an epoch says nothing about the next, whose leader records nothing", async () => {
  const known = await win(electionOf("known"));
  await known.begin();
  await known.end();
  await known.release();
  // As 0.1.0 takes over from a newer version.
  await database.admin.query("UPDATE leader SET epoch = epoch + 1, holder = 'old', acquired_at = clock_timestamp()");
  const next = await win(electionOf("next"));
  expect(next.former).toEqual({ epoch: known.epoch + 1, holder: null, begun: false, ended: false });
});

test("a leader that was replaced does not begin, and ends nobody's term", async () => {
  const first = await win(electionOf("first"));
  const lost = once(first.lost, "abort");
  await endLeaderSession();
  await lost;
  await win(electionOf("second"));
  await expect(first.begin()).rejects.toThrow();
  await first.end();
  const { rows } = await database.admin.query("SELECT begun_epoch, ended_epoch FROM leader");
  expect(rows).toEqual([{ begun_epoch: null, ended_epoch: null }]);
});

test("an epoch that is over does not begin, also where its session is still there", async () => {
  const first = await win(electionOf("first"));
  await database.admin.query("UPDATE leader SET epoch = epoch + 1");
  await expect(first.begin()).rejects.toBeInstanceOf(NotLeader);
});

test("a database that cannot be reached is no leadership and no error, but said", async () => {
  const logger = recordingLogger();
  const nowhere = new URL(database.url);
  nowhere.searchParams.set("host", join(tmpdir(), "nothing-here"));
  expect(await campaign(electionOf("lonely", nowhere.href, logger))).toBeNull();
  expect(logger.messages).toEqual(["the database could not be asked for leadership"]);
});

test("the lock's session has the timeouts that free it, and the coordinator's role", async () => {
  await win(electionOf("holder"));
  const seen = await database.admin.query(
    `SELECT application_name, (SELECT count(*)::integer FROM pg_locks l WHERE l.pid = a.pid AND locktype = 'advisory') AS locks
     FROM pg_stat_activity a WHERE application_name LIKE 'codehub leader%'`,
  );
  expect(seen.rows).toEqual([{ application_name: "codehub leader holder", locks: 1 }]);
});

/** What every pooler does: it answers with process numbers of its own, because its clients share the server's. */
const poolerBefore = (serverUrl: string, dir: string) => relayBefore(serverUrl, dir, rewriteProcessNumber);

interface Relay {
  readonly url: string;
  readonly server: Server;
  /** From now on no answer of the server comes through. */
  readonly silence: () => void;
}

async function relayBefore(
  serverUrl: string,
  dir: string,
  onTheWay: () => Transform = () => new PassThrough(),
): Promise<Relay> {
  const answers: Transform[] = [];
  const url = new URL(serverUrl);
  const socketDir = url.searchParams.get("host");
  const port = Number(url.port || 5432);
  const server = createServer((client) => {
    const upstream = socketDir ? connect(join(socketDir, `.s.PGSQL.${port}`)) : connect(port, url.hostname);
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.pipe(upstream);
    const answer = upstream.pipe(onTheWay());
    answers.push(answer);
    answer.pipe(client);
  });
  server.listen(join(dir, `.s.PGSQL.${port}`));
  await once(server, "listening");
  url.searchParams.set("host", dir);
  const silence = (): void => {
    for (const answer of answers) answer.unpipe();
  };
  return { url: url.href, server, silence };
}

function rewriteProcessNumber(): Transform {
  const BACKEND_KEY_DATA = "K".charCodeAt(0);
  let done = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      for (let at = 0; !done && at + 9 <= chunk.length; at += 1 + chunk.readUInt32BE(at + 1)) {
        if (chunk[at] === BACKEND_KEY_DATA) {
          chunk.writeUInt32BE(12_345_678, at + 5);
          done = true;
        }
      }
      callback(null, chunk);
    },
  });
}

test("a connection pooler is refused with what to do", async () => {
  const dir = await mkdtemp(join(tmpdir(), "codehub-pooler-"));
  const pooler = await poolerBefore(database.url, dir);
  try {
    const refused = campaign(electionOf("pooled", pooler.url));
    await expect(refused).rejects.toBeInstanceOf(PoolerRefused);
    await expect(refused).rejects.toThrow(/pooler.*address of PostgreSQL itself/s);
    const direct = await campaign(electionOf("direct"));
    expect(direct).not.toBeNull();
  } finally {
    pooler.server.close();
    await rm(dir, { recursive: true, force: true });
  }
});

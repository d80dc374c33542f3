import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { EMBEDDED_USER } from "./data-directory.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

// Any fixed number serves: advisory locks are counted per database, and this database is ours alone.
const OWNER_LOCK = 7_201_945;
const PATIENCE_MS = 5_000;
const LEAVING_MS = 30_000;

/**
 * Holds a session lock inside the server for as long as this program lives. It tells an orphan, whose lock vanished with
 * the killed program's connection, from the server of a program that still runs: adopting that one would mean stopping
 * it under the other program's feet.
 */
export class OwnershipGuard {
  readonly #url: string;
  readonly #rootDir: string;
  #session: pg.Client;

  static async acquire(url: string, rootDir: string, patienceMs: number = PATIENCE_MS): Promise<OwnershipGuard> {
    return new OwnershipGuard(url, rootDir, await lockSession(url, rootDir, patienceMs));
  }

  private constructor(url: string, rootDir: string, session: pg.Client) {
    this.#url = url;
    this.#rootDir = rootDir;
    this.#session = session;
  }

  async renew(): Promise<void> {
    await this.#session.end().catch(() => undefined);
    this.#session = await lockSession(this.#url, this.#rootDir, PATIENCE_MS);
  }

  /** Resolves when nobody else uses our database, or after a while in which somebody always did. Who waits for the lock does not. */
  async untilAlone(): Promise<void> {
    for (const deadline = Date.now() + LEAVING_MS; Date.now() < deadline; await sleep(50)) {
      const { rowCount } = await this.#session.query(
        "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname <> current_database()",
      );
      if (rowCount === 0) return;
    }
  }

  async release(): Promise<void> {
    await this.#session.end().catch(() => undefined);
  }
}

async function lockSession(url: string, rootDir: string, patienceMs: number): Promise<pg.Client> {
  const session = new pg.Client({
    ...maintenance(url),
    application_name: `codehub ${process.pid}`,
    connectionTimeoutMillis: 10_000,
  });
  // The server may end this connection at any time; the supervisor sees that by the server's process, not from here.
  session.on("error", () => undefined);
  await session.connect();
  try {
    await takeLock(session, rootDir, patienceMs);
    await ensureDatabase(session);
    return session;
  } catch (error) {
    await session.end().catch(() => undefined);
    throw error;
  }
}

async function takeLock(session: pg.Client, rootDir: string, patienceMs: number): Promise<void> {
  // A program that is just ending still holds the lock for a moment.
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await session.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [OWNER_LOCK]);
    if (answer.rows[0]?.locked) {
      return;
    }
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        "in-use",
        `Another CodeHub${await holder(session)} is using the embedded PostgreSQL in ${rootDir}. Stop it, give this one its own DATA_DIR and PORT, or let both use one PostgreSQL through DATABASE_URL.`,
      );
    }
    await sleep(100);
  }
}

async function holder(session: pg.Client): Promise<string> {
  const answer = await session.query<{ application_name: string }>(
    `SELECT application_name FROM pg_stat_activity
     JOIN pg_locks USING (pid)
     WHERE locktype = 'advisory' AND objid = $1 AND granted`,
    [OWNER_LOCK],
  );
  const pid = /^codehub (\d+)$/.exec(answer.rows[0]?.application_name ?? "")?.[1];
  return pid ? ` (process ${pid})` : "";
}

async function ensureDatabase(session: pg.Client): Promise<void> {
  const existing = await session.query("SELECT FROM pg_database WHERE datname = $1", [EMBEDDED_USER]);
  if (existing.rowCount === 0) {
    await session.query(`CREATE DATABASE ${EMBEDDED_USER}`);
  }
}

function maintenance(url: string): { connectionString: string } {
  const target = new URL(url);
  target.pathname = "/postgres";
  return { connectionString: target.href };
}

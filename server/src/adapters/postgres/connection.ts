import pg from "pg";
import type { DatabaseRole } from "./roles.ts";
import { fromTimestamp } from "./timestamp.ts";

export type PoolOptions = {
  url: string;
  role: DatabaseRole;
  /** Connections that stay open though nobody uses them; 0 where it is not said. */
  min?: number;
  /** Connections at most. */
  max: number;
  applicationName: string;
};

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

/** Numbers and times as the core knows them: a bigint is a number (it is checked to be exact), a time is milliseconds. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8 || oid === NUMERIC) {
      return exactNumber;
    }
    if (oid === TIMESTAMPTZ) {
      return fromTimestamp;
    }
    return pg.types.getTypeParser(oid, format);
  }) as pg.CustomTypesConfig["getTypeParser"],
};

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) && Number.isInteger(value)) {
    throw new RangeError(`The database holds ${text}, which is too large to be exact.`);
  }
  return value;
}

/**
 * Settings travel in the connection's first message: there is no moment at which a connection has another role, and no
 * further round trip. Whoever freezes inside a transaction is cut off after five seconds, so that it holds no lock on the
 * leader's row against its successor.
 */
export function withSettings(url: string, settings: Readonly<Record<string, string | number>>): string {
  const target = new URL(url);
  const given = target.searchParams.get("options");
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  target.searchParams.set("options", [...(given ? [given] : []), ...options].join(" "));
  return target.href;
}

export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSettings(options.url, {
      role: options.role,
      timezone: "UTC",
      statement_timeout: 30_000,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 5_000,
    }),
    min: options.min ?? 0,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    // The server ends a statement after 30 s; this ends the wait for a server that does not answer at all.
    query_timeout: 40_000,
    keepAlive: true,
    types,
  });
  // A connection that breaks while nobody uses it is replaced by the pool; one that breaks in use fails its query.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** DATABASE_URL does not lead to PostgreSQL itself but to something that shares its sessions among clients. */
export class PoolerRefused extends Error {
  override readonly name = "PoolerRefused";

  constructor(options?: ErrorOptions) {
    super(
      "DATABASE_URL leads through a connection pooler. Who may write what is a role that a session takes, and leadership is a lock that a session holds; a pooler shares sessions among clients. Set DATABASE_URL to the address of PostgreSQL itself.",
      options,
    );
  }
}

/** Poolers refuse what a connection's first message asks for beyond the usual. */
export const isPoolersRefusal = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message);

/** A pool that has been seen to have its role: a pooler may be told to ignore what it does not understand. */
export async function openPool(options: PoolOptions): Promise<pg.Pool> {
  const pool = createPool(options);
  try {
    const answer = await pool.query<{ role: string }>("SELECT current_user AS role");
    if (answer.rows[0]?.role !== options.role) {
      throw new PoolerRefused();
    }
    return pool;
  } catch (error) {
    await pool.end();
    throw isPoolersRefusal(error) ? new PoolerRefused({ cause: error }) : error;
  }
}

/** Runs the work in one transaction: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<R>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<R>): Promise<R> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    client.release();
    return result;
  } catch (error) {
    await abandon(client, error);
    throw error;
  }
}

/** A server that answered with an error can go on; a connection that failed in any other way is thrown away. */
async function abandon(client: pg.PoolClient, error: unknown): Promise<void> {
  const fatal = error instanceof pg.DatabaseError ? error.severity === "FATAL" : isConnectionTrouble(error);
  if (fatal) {
    client.release(true);
    return;
  }
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true);
  }
}

function isConnectionTrouble(error: unknown): boolean {
  return (
    error instanceof Error && ("code" in error || /timeout|terminated|connection|not queryable/i.test(error.message))
  );
}

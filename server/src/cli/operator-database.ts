import { openPool } from "#adapters/postgres/connection.ts";
import { requireSchema } from "#adapters/postgres/migrate.ts";
import { API_ROLE, type DatabaseRole } from "#adapters/postgres/roles.ts";
import type { Pool } from "#compose/database.ts";
import type { Config } from "#config/config.ts";

/** The deployment's database as a command uses it: beside a server that runs, or instead of one that does not. */
export interface OperatorDatabase extends AsyncDisposable {
  readonly url: string;
}

/**
 * The embedded database is used where it runs; where it does not, it is started for as long as the command takes. Only who
 * means to fill a new one may make it: others would look into an empty one because they have another DATA_DIR.
 */
export async function openOperatorDatabase(config: Config, mayMake = false): Promise<OperatorDatabase> {
  if (config.DATABASE_URL !== null) return { url: config.DATABASE_URL, [Symbol.asyncDispose]: async () => undefined };
  const { borrowEmbedded } = await import("#supervise/embedded-database.ts");
  const embedded = await borrowEmbedded(config, mayMake);
  return { url: embedded.url, [Symbol.asyncDispose]: () => embedded.giveBack() };
}

/** Runs the work on a pool of a database whose schema is this program's. */
export async function withPool<R>(
  config: Config,
  work: (pool: Pool, url: string) => Promise<R>,
  role: DatabaseRole = API_ROLE,
): Promise<R> {
  await using database = await openOperatorDatabase(config);
  await requireSchema(database.url);
  const pool = await openPool({ url: database.url, role, max: 4, applicationName: "codehub command" });
  try {
    return await work(pool, database.url);
  } finally {
    await pool.end();
  }
}

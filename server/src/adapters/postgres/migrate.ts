import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { ensureRoles } from "./roles.ts";
import {
  type LedgerRow,
  pendingOf,
  requireOthersCan,
  SchemaError,
  type Step,
  schemasOf,
  usableFrom,
} from "./schema-ledger.ts";

export interface Migration extends Step {
  readonly sql: string;
}

// Serialises programs that start together on one database. The number only has to be ours.
const MIGRATION_LOCK = 7_201_946;
const MIGRATIONS_DIR: string = fileURLToPath(new URL("./migrations", import.meta.url));

/** Reads `0001-name.sql` and so on. The numbers have no gaps, so that two branches cannot both add the same one unseen. */
export async function readMigrations(dir: string = MIGRATIONS_DIR): Promise<Migration[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith(".sql")).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const [, digits, name] = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
      if (digits === undefined || name === undefined || Number(digits) !== index + 1) {
        throw new SchemaError(`${join(dir, file)}: migrations are named NNNN-what.sql and numbered without gaps.`);
      }
      const sql = await readFile(join(dir, file), "utf8");
      const number = Number(digits);
      const checksum = createHash("sha256").update(sql).digest("hex");
      return { number, name, sql, checksum, usableFrom: usableFrom(sql, number) };
    }),
  );
}

/**
 * Brings the database to the newest schema this program knows, forward only. Safe to call from every process at every
 * start: one of them migrates while the others wait, and a migration is applied whole or not at all.
 */
export async function migrate(
  databaseUrl: string,
  migrations?: readonly Migration[],
): Promise<{ readonly applied: number[]; readonly known: number }> {
  const known = migrations ?? (await readMigrations());
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "codehub migrate" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await requireVersion(client);
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await createLedger(client);
    const pending = pendingOf(known, await readLedger(client));
    if (pending.length > 0) requireOthersCan(pending, await othersKnow(client));
    await ensureRoles(client);
    for (const migration of pending) {
      await apply(client, migration);
    }
    return { applied: pending.map((migration) => migration.number), known: known.length };
  } finally {
    // Closing the session also gives the lock back, whatever happened before.
    await client.end().catch(() => undefined);
  }
}

/** How far a database is: what this program knows, what was applied, and why it cannot be used, if it cannot. */
export async function schemaState(
  client: pg.Client,
): Promise<{ readonly known: number; readonly applied: number; readonly refusal: string | null }> {
  const known = await readMigrations();
  const { rowCount } = await client.query("SELECT FROM pg_catalog.pg_tables WHERE tablename = 'schema_migrations'");
  const ledger = rowCount === 0 ? [] : await readLedger(client);
  const state = { known: known.length, applied: ledger.at(-1)?.number ?? 0 };
  try {
    pendingOf(known, ledger);
    return { ...state, refusal: null };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { ...state, refusal: error.message };
  }
}

/** Rejects unless the database has exactly this program's schema: a command changes nothing that a start is to change. */
export async function requireSchema(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "codehub command" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { known, applied, refusal } = await schemaState(client);
    if (refusal !== null) throw new SchemaError(refusal);
    if (applied === 0) throw new SchemaError("The database is empty: start CodeHub once, or restore a backup.");
    if (applied < known)
      throw new SchemaError(
        `The database has schema ${applied}, this program ${known}: start CodeHub once, so that it migrates.`,
      );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What the programs know that are connected now. */
async function othersKnow(client: pg.Client): Promise<number[]> {
  const answer = await client.query<{ application_name: string }>(
    "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name IS NOT NULL",
  );
  return schemasOf(answer.rows.map((row) => row.application_name));
}

async function requireVersion(client: pg.Client): Promise<void> {
  const answer = await client.query<{ server_version_num: string }>("SHOW server_version_num");
  const version = Number(answer.rows[0]?.server_version_num);
  if (version < 140_000) {
    throw new SchemaError(
      `DATABASE_URL points to PostgreSQL ${Math.floor(version / 10_000)}; CodeHub needs 14 or newer (it relies on idle_session_timeout).`,
    );
  }
}

async function createLedger(client: pg.Client): Promise<void> {
  try {
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         number integer PRIMARY KEY,
         name text NOT NULL,
         checksum text NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === "42501") {
      throw new SchemaError(
        "The login in DATABASE_URL may not create tables in its database. Make it the owner: ALTER DATABASE name OWNER TO login;",
        { cause: error },
      );
    }
    throw error;
  }
}

async function readLedger(client: pg.Client): Promise<LedgerRow[]> {
  // As JSON: a ledger of before has no such column.
  const answer = await client.query<LedgerRow>(
    `SELECT number, name, checksum, (to_jsonb(row) ->> 'usable_from')::integer AS "usableFrom"
     FROM schema_migrations AS row ORDER BY number`,
  );
  return answer.rows;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(migration.sql);
    const { number, name, checksum, usableFrom: from } = migration;
    const values = [number, name, checksum, from];
    await client.query("ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS usable_from integer");
    await client.query(
      "INSERT INTO schema_migrations (number, name, checksum, usable_from) VALUES ($1, $2, $3, $4)",
      values,
    );
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaError(
      `Migration ${migration.number} (${migration.name}) failed and was rolled back: ${reason}. The database is unchanged.`,
      { cause: error },
    );
  }
}

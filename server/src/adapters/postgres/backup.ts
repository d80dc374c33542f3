import pg from "pg";
import { SAVED_TABLES, type SavedTable } from "./backup-tables.ts";
import { schemaState } from "./migrate.ts";

const ROWS_AT_ONCE = 500;

/** What is known of the database beside its rows. */
export interface Snapshot {
  readonly schema: number;
  readonly postgres: number;
  readonly takenAt: string;
  readonly deploymentId: string;
  readonly runtimeKind: string | null;
  readonly engineId: string | null;
  readonly storeId: string | null;
  readonly columns: Readonly<Record<string, readonly string[]>>;
}

/** A connection as the login itself: it owns the tables, which neither role may read whole. */
export async function ownConnection(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: "codehub backup" });
  client.on("error", () => undefined);
  await client.connect();
  // Times in one zone, whatever the server's is; nothing else of a session decides how a value is written.
  await client.query("SET timezone = 'UTC'");
  return client;
}

/** Runs the work in one snapshot: all that it reads is of one moment, and nobody who writes meanwhile waits. */
export async function inSnapshot<R>(
  client: pg.Client,
  tables: readonly SavedTable[],
  work: (snapshot: Snapshot) => Promise<R>,
): Promise<R> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    const { applied } = await schemaState(client);
    const facts = await client.query(
      `SELECT current_setting('server_version_num')::integer AS postgres, to_json(now()) #>> '{}' AS taken_at,
         deployment_id, runtime_kind, engine_id, store_id FROM deployment`,
    );
    const [row] = facts.rows;
    const columns: Record<string, readonly string[]> = {};
    for (const table of tables) columns[table] = await storedColumns(client, table);
    return await work({
      schema: applied,
      postgres: row.postgres,
      takenAt: row.taken_at,
      deploymentId: row.deployment_id,
      runtimeKind: row.runtime_kind,
      engineId: row.engine_id,
      storeId: row.store_id,
      columns,
    });
  } finally {
    await client.query("ROLLBACK").catch(() => undefined);
  }
}

/** Those that are written; the others PostgreSQL derives itself. */
async function storedColumns(client: pg.Client, table: SavedTable): Promise<readonly string[]> {
  const found = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  );
  return found.rows.map(({ name }) => name);
}

/** Rows as PostgreSQL writes them as JSON, which holds every value exactly; they are never parsed on the way. */
export async function* rowsOf(client: pg.Client, table: SavedTable, columns: readonly string[]): AsyncIterable<string> {
  const names = columns.map((name) => `t.${pg.escapeIdentifier(name)}`).join(", ");
  // A session of a workspace refers to one of the dashboard, which therefore comes first.
  const order = table === "sessions" ? "ORDER BY parent_id IS NOT NULL" : "";
  await client.query(
    `DECLARE backup NO SCROLL CURSOR FOR
     SELECT to_json(r)::text AS row FROM (SELECT ${names} FROM ${table} AS t ${order}) AS r`,
  );
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${ROWS_AT_ONCE} FROM backup`);
    for (const { row } of rows) yield row;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await client.query("CLOSE backup");
}

/** Whether there is anything in it that a restore would lose. */
export async function isInUse(client: pg.Client): Promise<boolean> {
  const { applied } = await schemaState(client);
  if (applied === 0) return false;
  const { rowCount } = await client.query("SELECT FROM users UNION ALL SELECT FROM workspaces LIMIT 1");
  return rowCount !== 0;
}

/** Empties every table that a backup fills, in the transaction that fills them. */
export async function emptyTables(client: pg.Client): Promise<void> {
  // A backup of an earlier schema is restored into that one, which may not have all of them.
  const { rows } = await client.query<{ tablename: string }>(
    "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = ANY($1)",
    [SAVED_TABLES],
  );
  await client.query(`TRUNCATE ${rows.map(({ tablename }) => pg.escapeIdentifier(tablename)).join(", ")} CASCADE`);
}

/** Inserts rows as `rowsOf` gave them; what the backup's schema did not have gets its default. */
export async function insertRows(
  client: pg.Client,
  table: SavedTable,
  columns: readonly string[],
  rows: readonly string[],
): Promise<number> {
  const names = columns.map((name) => pg.escapeIdentifier(name)).join(", ");
  const answer = await client.query(
    `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE
     SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1::json)`,
    [`[${rows.join(",")}]`],
  );
  return answer.rowCount ?? 0;
}

/** Numbers that PostgreSQL gives go on after those that were restored. */
export async function continueNumbers(client: pg.Client): Promise<void> {
  await client.query(
    `SELECT setval(pg_get_serial_sequence('workspace_events', 'id'), coalesce(max(id), 0) + 1, false) FROM workspace_events`,
  );
}

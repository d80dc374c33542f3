import type pg from "pg";
import { continueNumbers, emptyTables, insertRows, isInUse, ownConnection } from "#adapters/postgres/backup.ts";
import { KEY_TABLES, SAVED_TABLES, type SavedTable } from "#adapters/postgres/backup-tables.ts";
import { openPool } from "#adapters/postgres/connection.ts";
import { migrate, readMigrations, schemaState } from "#adapters/postgres/migrate.ts";
import { bindAnew } from "#adapters/postgres/queries/deployment/bind-anew.ts";
import { takeLeaderLock } from "#adapters/postgres/queries/deployment/take-leader-lock.ts";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { count, one } from "#adapters/postgres/statement.ts";
import { audit } from "#adapters/postgres/stores/audit.ts";
import { lookAtRuntime } from "#compose/look-at-data-plane.ts";
import type { Config } from "#config/config.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { type Adopted, adopt } from "./adopt.ts";
import { asLeader } from "./as-leader.ts";
import { BackupError, type Header, readBackup } from "./backup-file.ts";
import { keysToPlace, reportKeys } from "./backup-secrets-key.ts";
import { type Given, isGiven, optionOf } from "./command.ts";
import { configuration, fileNamed } from "./environment.ts";
import { type Fates, leaveEngine } from "./leave-engine.ts";
import { openOperatorDatabase } from "./operator-database.ts";

const ROWS_AT_ONCE = 500;

/** A backup becomes the database; then homes are looked for in the archive store. */
export async function restore(given: Given): Promise<number> {
  const config = configuration();
  const files = await readable(given);
  const homesLost = isGiven(given, "homes-lost");
  await requireEngine(config, files.data.header, homesLost);
  const secretsKey = optionOf(given, "secrets-key");
  const keys = secretsKey === null ? null : await keysToPlace(config, fileNamed(secretsKey));
  await using database = await openOperatorDatabase(config, true);
  // More keys than are needed do no harm, should the rest fail.
  if (keys !== null) console.log(await keys.place());
  await fill(database.url, files, isGiven(given, "replace"));
  await migrate(database.url);
  const takenAt = Date.parse(files.data.header.takenAt);
  const found = await lookForHomes(config, database.url, takenAt, homesLost);
  for (const line of [...report(files.data.header, found), ...(await reportKeys(config, database.url))])
    console.log(line);
  return EXIT.inOrder;
}

interface Readable {
  readonly path: string;
  readonly header: Header;
}

/** Both files are read to their ends before anything is touched. */
async function readable(given: Given): Promise<{ readonly data: Readable; readonly keys: Readable | null }> {
  const look = async (name: string, holds: Header["holds"]): Promise<Readable> => {
    const path = fileNamed(name);
    const { header } = await readBackup(path);
    if (header.holds !== holds) throw new BackupError(`${name} holds ${header.holds}, not ${holds}.`);
    return { path, header };
  };
  const data = await look(given.arguments[0] ?? "", "data");
  const name = optionOf(given, "keys");
  const keys = name === null ? null : await look(name, "keys");
  if (keys !== null && keys.header.takenAt !== data.header.takenAt)
    throw new BackupError(`${name} was not taken with ${given.arguments[0]}.`);
  return { data, keys };
}

/** Homes on volumes are where they were, or lost: which of both an operator has to say where another engine answers. */
async function requireEngine(config: Config, header: Header, homesLost: boolean): Promise<void> {
  const seen = await lookAtRuntime(config, { runtimeKind: header.runtimeKind, deploymentId: null });
  const same = header.engineId === null || (seen.id === header.engineId && seen.kind === header.runtimeKind);
  if (same && homesLost && header.engineId !== null)
    throw new BackupError("The engine that has the homes is the one configured here: leave --homes-lost out.");
  if (same || homesLost) return;
  throw new BackupError(
    `The homes that were on volumes are on ${header.runtimeKind} ${header.engineId}, which is not what is configured here ` +
      `(${seen.kind} ${seen.id ?? "not used before"}). Set RUNTIME, DOCKER_HOST, DATA_DIR or KUBERNETES_NAMESPACE so that it is; or, if that ` +
      "engine is lost with everything on it, say --homes-lost: each home then opens at its newest archive. Nothing was changed.",
  );
}

async function fill(url: string, files: Awaited<ReturnType<typeof readable>>, replace: boolean): Promise<void> {
  const client = await ownConnection(url);
  try {
    if (!(await one(client, takeLeaderLock, {})).taken)
      throw new BackupError("CodeHub runs on this database: stop every process of it first.");
    const { header } = files.data;
    if ((await isInUse(client)) && !replace)
      throw new BackupError(
        "The database is not empty. Restore into an empty one, or say --replace: everything in it is then lost. Nothing was changed.",
      );
    await prepare(client, url, header.schema);
    await client.query("BEGIN");
    await emptyTables(client);
    await load(client, files.data.path, SAVED_TABLES);
    if (files.keys !== null) await load(client, files.keys.path, KEY_TABLES);
    await continueNumbers(client);
    await client.query("UPDATE deployment SET gc_quarantine_reason = $1, gc_quarantined_at = clock_timestamp()", [
      `This deployment's database was restored from a backup of ${header.takenAt}. Nothing is removed until an admin resumes it.`,
    ]);
    await audit(client, { kind: "system", userId: null, address: null }, "database_restored", {
      taken_at: header.takenAt,
    });
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

/** The schema of the backup: what came later is applied to its rows as to any older database. */
async function prepare(client: pg.Client, url: string, schema: number): Promise<void> {
  const migrations = await readMigrations();
  if (schema > migrations.length)
    throw new BackupError(
      `The backup has schema ${schema}, this program knows ${migrations.length}: use a newer release.`,
    );
  const { applied } = await schemaState(client);
  if (applied === 0) await migrate(url, migrations.slice(0, schema));
  else if (applied !== schema)
    throw new BackupError(`The database has schema ${applied}, the backup ${schema}: restore into an empty database.`);
}

async function load(client: pg.Client, path: string, tables: readonly SavedTable[]): Promise<void> {
  let waiting: { readonly table: SavedTable; readonly rows: string[] } | null = null;
  const flush = async (header: Header): Promise<void> => {
    if (waiting === null || waiting.rows.length === 0) return;
    const { table, rows } = waiting;
    waiting = null;
    await insertRows(client, table, header.columns[table] ?? [], rows);
  };
  const { header } = await readBackup(path, async (name, row, first) => {
    const table = tables.find((one) => one === name);
    if (table === undefined) throw new BackupError(`${path} has a table ${name} that this program does not know.`);
    if (waiting !== null && (waiting.table !== table || waiting.rows.length >= ROWS_AT_ONCE)) await flush(first);
    waiting ??= { table, rows: [] };
    waiting.rows.push(row);
  });
  await flush(header);
}

interface Homes {
  readonly adopted: Adopted;
  readonly fates: Fates | null;
}

async function lookForHomes(config: Config, url: string, takenAt: number, homesLost: boolean): Promise<Homes> {
  const pool = await openPool({ url, role: COORDINATOR_ROLE, max: 4, applicationName: "codehub restore" });
  const api = await openPool({ url, role: API_ROLE, max: 2, applicationName: "codehub restore" });
  try {
    return await asLeader(url, pool, async (store) => {
      const adopted = await adopt(config, store, takenAt);
      if (!homesLost) return { adopted, fates: null };
      const fates = await leaveEngine(api, store);
      const { storeId } = await store.deployment();
      await count(pool, bindAnew, { runtimeKind: null, engineId: null, storeId });
      return { adopted, fates };
    });
  } finally {
    await Promise.all([pool.end(), api.end()]);
  }
}

function report({ takenAt }: Header, { adopted, fates }: Homes): readonly string[] {
  const lines = [`The database is the one of ${takenAt}.`];
  if (adopted.archives > 0) lines.push(`${adopted.archives} archives that were made later were found in the store.`);
  if (adopted.strangers > 0)
    lines.push(`${adopted.strangers} workspaces were made later: their archives are in the store, and nobody's.`);
  if (fates !== null) {
    lines.push("", `${fates.archive.length} homes were on the lost engine and open at their newest archive:`);
    lines.push(...fates.archive.map((name) => `  ${name}`));
    lines.push("", `${fates.lost.length} homes had their only copy on the lost engine. They stay closed:`);
    lines.push(...fates.lost.map((name) => `  ${name}`));
  }
  lines.push("", "Garbage collection is paused until an administrator resumes it on the admin page.");
  return lines;
}

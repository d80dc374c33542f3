import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type pg from "pg";
import { inSnapshot, ownConnection, rowsOf, type Snapshot } from "#adapters/postgres/backup.ts";
import { KEY_TABLES, SAVED_TABLES, type SavedTable } from "#adapters/postgres/backup-tables.ts";
import { requireSchema } from "#adapters/postgres/migrate.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { BackupError, type Counts, type Header, readBackup, writeBackup } from "./backup-file.ts";
import { keysToSave, saveKeys } from "./backup-secrets-key.ts";
import { type Given, optionOf } from "./command.ts";
import { configuration, fileNamed } from "./environment.ts";
import { openOperatorDatabase } from "./operator-database.ts";

/** The database of one moment as a file; with `--keys` what lets people in as another, of the same moment; with `--secrets-key` what opens secrets. */
export async function backup(given: Given): Promise<number> {
  const keys = optionOf(given, "keys");
  const config = configuration();
  const secretsKey = optionOf(given, "secrets-key");
  const keyFile = secretsKey === null ? null : fileNamed(secretsKey);
  if (
    keyFile !== null &&
    [given.arguments[0] ?? "", keys ?? ""].some((name) => name !== "" && fileNamed(name) === keyFile)
  )
    throw new BackupError(`${secretsKey} would be two files at once.`);
  const before = keyFile === null ? [] : await keysToSave(config, keyFile);
  await using database = await openOperatorDatabase(config);
  await requireSchema(database.url);
  const client = await ownConnection(database.url);
  try {
    const counts = await inSnapshot(client, [...SAVED_TABLES, ...KEY_TABLES], async (snapshot) => {
      const data = await save(client, fileNamed(given.arguments[0] ?? ""), "data", SAVED_TABLES, snapshot);
      if (keys !== null) await save(client, fileNamed(keys), "keys", KEY_TABLES, snapshot);
      return data;
    });
    const { users = 0, workspaces = 0, archives = 0 } = counts;
    console.log(
      `${given.arguments[0]}: ${users} users, ${workspaces} workspaces, ${archives} archives. It was read back.`,
    );
    if (keyFile !== null) for (const line of await saveKeys(config, keyFile, before, database.url)) console.log(line);
    console.log("Homes are not in it: the archive store has a backup of its own. See docs/operating/backup.md.");
    return EXIT.inOrder;
  } finally {
    await client.end();
  }
}

/** The file has its name only once it was read back whole. */
async function save(
  client: pg.Client,
  path: string,
  holds: Header["holds"],
  tables: readonly SavedTable[],
  snapshot: Snapshot,
): Promise<Counts> {
  if (existsSync(path)) throw new BackupError(`${path} exists already and is not written over.`);
  const part = `${path}.part`;
  await rm(part, { force: true });
  try {
    const written = await writeBackup(part, holds, snapshot, rowsOfAll(client, tables, snapshot));
    const { counts } = await readBackup(part);
    if (JSON.stringify(counts) !== JSON.stringify(written))
      throw new BackupError(`${path} does not hold what was written.`);
    await rename(part, path);
    return counts;
  } finally {
    await rm(part, { force: true });
  }
}

async function* rowsOfAll(
  client: pg.Client,
  tables: readonly SavedTable[],
  { columns }: Snapshot,
): AsyncIterable<{ readonly table: string; readonly row: string }> {
  for (const table of tables) for await (const row of rowsOf(client, table, columns[table] ?? [])) yield { table, row };
}

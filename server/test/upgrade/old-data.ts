import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { reachableNode } from "#adapters/process/ide-install.ts";

export const FIXTURE: string = join(import.meta.dirname, "fixture-0.1.0");
const PACKAGES = resolve(import.meta.dirname, "../../../node_modules");
const read = (name: string): string => readFileSync(join(FIXTURE, name), "utf8");

interface Facts {
  readonly dataDir: string;
  readonly madeAt: string;
  readonly users: Readonly<Record<"admin" | "anna" | "ben", { readonly username: string; readonly password: string }>>;
  readonly annasCookie: string;
  readonly annasToken: string;
  readonly workspaces: Readonly<Record<string, string>>;
}

export const facts: Facts = JSON.parse(read("facts.json"));
/** What each home was like, told as `describeTree` tells it. */
export const homes: Readonly<Record<string, string>> = JSON.parse(read("homes.json"));

export function idOf(name: string): string {
  const id = facts.workspaces[name];
  if (id === undefined) throw new Error(`the data set has no workspace "${name}"`);
  return id;
}

/** Unpacks what needs owners, modes and attributes to be what they were. */
function unpack(name: string, folder: string): void {
  const options = ["--same-owner", "--preserve-permissions", "--numeric-owner", "--acls"];
  execFileSync("tar", [
    ...["--extract", "--zstd", `--file=${join(FIXTURE, name)}`, `--directory=${folder}`],
    ...[...options, "--xattrs", "--xattrs-include=user.*"],
  ]);
}

/** The old release's own source, as far as it starts processes and containers. */
export async function unpackProgram(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "old-"));
  unpack("program.tar.zst", folder);
  return folder;
}

/** All of the old release's server, ready to run with the packages that are here: it names the same ones, but for its own contract. */
export async function unpackServer(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "old-"));
  unpack("server.tar.zst", folder);
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, "@codehub"), { recursive: true });
  for (const name of readdirSync(PACKAGES).filter((one) => one !== "@codehub" && !one.startsWith(".")))
    symlinkSync(join(PACKAGES, name), join(packages, name));
  symlinkSync(join(folder, "contract"), join(packages, "@codehub/contract"));
  return folder;
}

/** The data directory as it was left. Paths in it are absolute; here it lies somewhere else. */
export async function unpackData(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "ch-"));
  unpack("data.tar.zst", dataDir);
  chmodSync(dataDir, 0o711);
  // The Node that runs the IDE was not kept.
  symlinkSync(await reachableNode(dataDir), join(dataDir, "node"));
  for (const name of readdirSync(join(dataDir, "run"))) {
    const path = join(dataDir, "run", name, "container.json");
    if (!existsSync(path)) continue;
    const record = readFileSync(path, "utf8").replaceAll(facts.dataDir, dataDir);
    writeFileSync(path, record);
  }
  for (const name of readdirSync(join(dataDir, "homes"))) {
    const path = join(dataDir, "homes", name);
    const target = readlinkSync(path).replace(facts.dataDir, dataDir);
    rmSync(path);
    symlinkSync(target, path);
  }
  return dataDir;
}

/** The database as it was left, as if that had been now: what has a date keeps its distance from today. */
export async function loadDatabase(url: string, dataDir: string): Promise<void> {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  try {
    await database.query(read("database.sql").replaceAll(facts.dataDir, dataDir));
    await database.query("SET session_replication_role = replica");
    const { rows } = await database.query<{ table: string; changes: string }>(
      `SELECT table_name AS table, string_agg(format('%1$I = %1$I + (now() - %2$L::timestamptz)', column_name, $1::text), ', ') AS changes
       FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'timestamp with time zone' GROUP BY table_name`,
      [facts.madeAt],
    );
    for (const { table, changes } of rows) await database.query(`UPDATE ${table} SET ${changes}`);
  } finally {
    await database.end();
  }
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";

/** In the order in which rows may be added: none before what it refers to. */
const TABLES = [
  ...["users", "sessions", "api_tokens", "handover_codes", "login_throttle", "workspaces", "archives", "volumes"],
  ...["gc_marks", "progress", "host_ports", "leader", "deployment", "component_health", "fleet_samples"],
  ...["workspace_events", "schema_migrations"],
];

const HEADER = `-- A database as CodeHub 0.1.0 left it. Made by ../main.ts, never edited by hand.
DO $$ BEGIN CREATE ROLE codehub_api NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE codehub_coordinator NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
CREATE TABLE schema_migrations (
  number integer PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`;

/** Plain SQL: the schema as that release's migrations make it, and every row. No pg_dump is that new everywhere. */
export async function dumpDatabase(database: pg.Client, checkout: string): Promise<string> {
  const folder = join(checkout, "server/src/adapters/postgres/migrations");
  const schema = readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8"));
  await database.query("SET timezone = 'UTC'");
  const rows: string[] = [];
  for (const table of TABLES) rows.push(...(await insertsOf(database, table)));
  const sequence = "SELECT setval('workspace_events_id_seq', (SELECT max(id) FROM workspace_events));";
  return [HEADER, ...schema, "DELETE FROM leader;", "DELETE FROM deployment;", ...rows, sequence, ""].join("\n");
}

async function insertsOf(database: pg.Client, table: string): Promise<string[]> {
  const { rows: columns } = await database.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  const literals = names.map((name) => `quote_nullable(${name}::text)`).join(" || ', ' || ");
  // Parents before their children.
  const order = table === "sessions" ? "parent_id NULLS FIRST, created_at" : "1";
  const { rows } = await database.query<{ literals: string }>(
    `SELECT ${literals} AS literals FROM ${table} ORDER BY ${order}`,
  );
  if (rows.length === 0) return [];
  const values = rows.map((row) => `  (${row.literals})`).join(",\n");
  return [`INSERT INTO ${table} (${names.join(", ")}) OVERRIDING SYSTEM VALUE VALUES\n${values};`];
}

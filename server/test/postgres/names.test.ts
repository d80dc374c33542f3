import { afterAll, beforeAll, expect, test } from "vitest";
import { DESIRED_STATES, OPERATION_NAMES, PHASES } from "#core/rows/workspace.ts";
import { ERROR_REASONS } from "#core/rules/errors.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

let database: PostgresFixture;

beforeAll(async () => {
  database = await openPostgres();
});
afterAll(() => database.close());

/** What a column may say, from the check that PostgreSQL has on it. */
async function allowed(table: string, column: string): Promise<string[]> {
  const { rows } = await database.admin.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid = $1::regclass AND conname = $2 AND contype = 'c' AND convalidated`,
    [table, `${table}_${column}_check`],
  );
  expect(rows, `the check of ${table}.${column}`).toHaveLength(1);
  return [...(rows[0]?.definition ?? "").matchAll(/'(\w+)'::text/g)].flatMap((match) => match[1] ?? []).sort();
}

// A name that only one side knows is a row that cannot be written, or one that nobody can read.
test.each([
  ["workspaces", "operation", ["NONE", ...OPERATION_NAMES]],
  ["workspaces", "phase", PHASES],
  ["workspaces", "desired_state", DESIRED_STATES],
  ["workspaces", "error_reason", ERROR_REASONS],
  ["workspace_events", "operation", OPERATION_NAMES],
  ["workspace_events", "from_phase", PHASES],
  ["workspace_events", "to_phase", PHASES],
] as const)("%s.%s may say what the core says, and nothing else", async (table, column, names) => {
  expect(await allowed(table, column)).toEqual([...names].sort());
});

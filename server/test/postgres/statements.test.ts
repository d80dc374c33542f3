import { readdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import type { Statement } from "#adapters/postgres/statement.ts";
import { createTestDatabase, type TestDatabase } from "./with-database.ts";

const QUERIES = join(import.meta.dirname, "../../src/adapters/postgres/queries");

type AnyStatement = Statement<Record<string, never>, object>;

function statementsIn(value: unknown): AnyStatement[] {
  if (value instanceof Map) {
    return [...value.values()].flatMap(statementsIn);
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return "text" in value && "roles" in value ? [value as AnyStatement] : Object.values(value).flatMap(statementsIn);
}

async function loadStatements(): Promise<AnyStatement[]> {
  const files = (await readdir(QUERIES, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const modules = await Promise.all(files.map((file) => import(join(QUERIES, file))));
  return modules.flatMap((module, index) => {
    const found = statementsIn(module);
    expect(found.length, `${files[index]} holds no statement`).toBeGreaterThan(0);
    return found;
  });
}

const statements = await loadStatements();
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

test("names are unique: two statements of one name would be one prepared statement", () => {
  const names = statements.map((statement) => statement.name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("every statement belongs to a role that exists", () => {
  for (const statement of statements) {
    expect([API_ROLE, COORDINATOR_ROLE], statement.name).toEqual(expect.arrayContaining([...statement.roles]));
    expect(statement.roles.length, statement.name).toBeGreaterThan(0);
  }
});

/** Planning a statement with a NULL for every parameter parses it, resolves every name and type, and checks the grants. */
test.each(statements.flatMap((statement) => statement.roles.map((role) => ({ role, statement }))))(
  "$statement.name is valid SQL that $role may run",
  async ({ role, statement }) => {
    await client.query("BEGIN");
    try {
      await client.query(`SET LOCAL ROLE ${role}`);
      await client.query(`PREPARE candidate AS ${statement.text}`);
      const known = await client.query<{ count: number }>(
        "SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'candidate'",
      );
      expect(known.rows[0]?.count).toBe(statement.parameters.length);
      const nulls = statement.parameters.length > 0 ? `(${statement.parameters.map(() => "NULL").join(", ")})` : "";
      await client.query(`EXPLAIN EXECUTE candidate ${nulls}`);
      await client.query("DEALLOCATE candidate");
    } finally {
      await client.query("ROLLBACK");
      await client.query("DEALLOCATE ALL");
    }
  },
);

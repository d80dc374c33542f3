import pg from "pg";
import { expect, test } from "vitest";
import { createTestDatabase } from "./with-database.ts";

test("two test databases are migrated and know nothing of each other", async () => {
  await using first = await createTestDatabase();
  await using second = await createTestDatabase();
  const client = new pg.Client({ connectionString: first.url });
  const other = new pg.Client({ connectionString: second.url });
  await Promise.all([client.connect(), other.connect()]);
  await client.query("CREATE TABLE only_here ()");
  const here = await client.query(
    "SELECT to_regclass('only_here') IS NOT NULL AS present, max(number) AS schema FROM schema_migrations",
  );
  const there = await other.query(
    "SELECT to_regclass('only_here') IS NOT NULL AS present, max(number) AS schema FROM schema_migrations",
  );
  await Promise.all([client.end(), other.end()]);
  expect(here.rows[0]?.present).toBe(true);
  expect(there.rows[0]?.present).toBe(false);
  expect(there.rows[0]?.schema).toBe(here.rows[0]?.schema);
});

import { readFile, writeFile } from "node:fs/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { printSchema } from "./schema-printer.ts";
import { createTestDatabase } from "./with-database.ts";

const DUMP = new URL("../../src/adapters/postgres/schema.sql", import.meta.url);

test("schema.sql shows what the migrations add up to", async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const printed = await printSchema(client);
  await client.end();
  if (process.env["UPDATE_SCHEMA"]) {
    await writeFile(DUMP, printed);
  }
  expect(printed, "run this test with UPDATE_SCHEMA=1 and commit schema.sql").toBe(await readFile(DUMP, "utf8"));
});

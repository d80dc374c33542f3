import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { expect, test } from "vitest";
import { openPool } from "#adapters/postgres/connection.ts";
import { type Migration, migrate, readMigrations, SchemaError } from "#adapters/postgres/migrate.ts";
import { API_ROLE, COORDINATOR_ROLE, RoleError } from "#adapters/postgres/roles.ts";
import { createUnmigratedDatabase } from "./with-database.ts";

const migrationOf = (number: number, sql: string): Migration => ({
  number,
  name: `step-${number}`,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("the real migrations apply to an empty database once", async () => {
  await using database = await createUnmigratedDatabase();
  const known = await readMigrations();
  expect((await migrate(database.url)).applied).toEqual(known.map((migration) => migration.number));
  expect((await migrate(database.url)).applied).toEqual([]);
});

test("programs that start together migrate once", async () => {
  await using database = await createUnmigratedDatabase();
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => migrate(database.url)));
  const known = await readMigrations();
  expect(outcomes.flatMap((outcome) => outcome.applied)).toEqual(known.map((migration) => migration.number));
});

test("a newer schema than the program knows is refused and left alone", async () => {
  await using database = await createUnmigratedDatabase();
  const one = migrationOf(1, "CREATE TABLE one ()");
  const two = migrationOf(2, "CREATE TABLE two ()");
  await migrate(database.url, [one, two]);
  await expect(migrate(database.url, [one])).rejects.toThrow(/schema 2.*knows schemas up to 1.*newer CodeHub/s);
  await expect(migrate(database.url, [one])).rejects.toBeInstanceOf(SchemaError);
  expect(await query(database.url, "SELECT number FROM schema_migrations ORDER BY number")).toHaveLength(2);
});

test("a migration that was changed after it was applied is refused", async () => {
  await using database = await createUnmigratedDatabase();
  await migrate(database.url, [migrationOf(1, "CREATE TABLE one ()")]);
  const changed = [migrationOf(1, "CREATE TABLE one (id integer)"), migrationOf(2, "CREATE TABLE two ()")];
  await expect(migrate(database.url, changed)).rejects.toThrow(/Migration 1 .*another form/s);
  expect(await query(database.url, "SELECT to_regclass('two') AS two")).toEqual([{ two: null }]);
});

test("a migration that fails leaves nothing of itself, and those before it stay", async () => {
  await using database = await createUnmigratedDatabase();
  const good = migrationOf(1, "CREATE TABLE one ()");
  const bad = migrationOf(2, "CREATE TABLE two (); SELECT 1 / 0");
  await expect(migrate(database.url, [good, bad])).rejects.toThrow(/Migration 2 .*division by zero.*unchanged/s);
  const tables = await query(
    database.url,
    "SELECT to_regclass('one') IS NULL AS one, to_regclass('two') IS NULL AS two",
  );
  expect(tables).toEqual([{ one: false, two: true }]);
  expect((await migrate(database.url, [good])).applied).toEqual([]);
});

/** A login as a hosting provider gives it: it owns its database and nothing else. */
async function plainLogin(url: string, name: string): Promise<string> {
  const login = `login_${randomBytes(4).toString("hex")}`;
  const password = randomBytes(8).toString("hex");
  await query(url, `CREATE ROLE ${login} LOGIN PASSWORD '${password}'`);
  await query(url, `ALTER DATABASE ${name} OWNER TO ${login}`);
  const target = new URL(url);
  target.username = login;
  target.password = password;
  return target.href;
}

test("a login that may not become the two roles is told what an administrator must run", async () => {
  await using database = await createUnmigratedDatabase();
  const plain = await plainLogin(database.url, database.name);
  await expect(migrate(plain)).rejects.toBeInstanceOf(RoleError);
  await expect(migrate(plain)).rejects.toThrow(
    /CREATE ROLE codehub_api.*GRANT codehub_api, codehub_coordinator TO login_/s,
  );
});

test("a login without any other right works once it was granted the roles", async () => {
  await using database = await createUnmigratedDatabase();
  const plain = await plainLogin(database.url, database.name);
  await query(database.url, `GRANT ${API_ROLE}, ${COORDINATOR_ROLE} TO ${new URL(plain).username}`);
  await migrate(plain);
  for (const role of [API_ROLE, COORDINATOR_ROLE] as const) {
    const pool = await openPool({ url: plain, role, max: 1, applicationName: "test" });
    const answer = await pool.query("SELECT current_user AS role, count(*)::integer AS rows FROM workspaces");
    await pool.end();
    expect(answer.rows).toEqual([{ role, rows: 0 }]);
  }
});

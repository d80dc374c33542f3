import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { expect, test } from "vitest";
import { openPool } from "#adapters/postgres/connection.ts";
import { type Migration, migrate, readMigrations } from "#adapters/postgres/migrate.ts";
import { API_ROLE, COORDINATOR_ROLE, RoleError } from "#adapters/postgres/roles.ts";
import { connectionName, SchemaError } from "#adapters/postgres/schema-ledger.ts";
import { createUnmigratedDatabase } from "./with-database.ts";

const migrationOf = (number: number, sql: string, usableFrom: number = number): Migration => ({
  number,
  name: `step-${number}`,
  sql,
  usableFrom,
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

test("a newer schema that only adds something is used by programs of before, and by those alone", async () => {
  await using database = await createUnmigratedDatabase();
  const one = migrationOf(1, "CREATE TABLE one ()");
  const two = migrationOf(2, "CREATE TABLE two ()");
  const three = migrationOf(3, "ALTER TABLE two ADD COLUMN more integer", 2);
  await migrate(database.url, [one, two, three]);
  expect((await migrate(database.url, [one, two])).applied).toEqual([]);
  await expect(migrate(database.url, [one])).rejects.toThrow(/schema 3.*knows schemas up to 1.*migration 2/s);
});

test("a ledger of before, which does not say who may go on, is read and continued", async () => {
  await using database = await createUnmigratedDatabase();
  const one = migrationOf(1, "CREATE TABLE one ()");
  await migrate(database.url, [one]);
  await query(database.url, "ALTER TABLE schema_migrations DROP COLUMN usable_from");
  expect((await migrate(database.url, [one])).applied).toEqual([]);
  expect((await migrate(database.url, [one, migrationOf(2, "CREATE TABLE two ()", 1)])).applied).toEqual([2]);
  expect((await migrate(database.url, [one])).applied).toEqual([]);
});

test("a change that others could not go on with waits until they have stopped", async () => {
  await using database = await createUnmigratedDatabase();
  const one = migrationOf(1, "CREATE TABLE one ()");
  const adds = migrationOf(2, "CREATE TABLE two ()", 1);
  const takes = migrationOf(3, "DROP TABLE one", 3);
  await migrate(database.url, [one]);
  const other = new pg.Client({ connectionString: database.url, application_name: connectionName("api", 1) });
  await other.connect();
  await expect(migrate(database.url, [one, adds, takes])).rejects.toThrow(/Migration 3.*Stop every other CodeHub/s);
  expect(await query(database.url, "SELECT number FROM schema_migrations")).toEqual([{ number: 1 }]);
  expect((await migrate(database.url, [one, adds])).applied).toEqual([2]);
  await other.end();
  await expect.poll(async () => (await migrate(database.url, [one, adds, takes])).applied).toEqual([3]);
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

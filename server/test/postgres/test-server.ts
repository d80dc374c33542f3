import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { migrate } from "#adapters/postgres/migrate.ts";

/** A throwaway PostgreSQL with a migrated template. Durability is off: a test's data is worth nothing after a crash. */
export type TestServer = { url: string; stop: () => Promise<void> };

const TEMPLATE = "codehub_template";

/**
 * With TEST_DATABASE_URL the tests run on that server instead (a superuser's URL, PostgreSQL 14 or newer), to see that
 * nothing depends on the embedded one.
 */
export async function startTestServer(): Promise<TestServer> {
  const external = process.env["TEST_DATABASE_URL"];
  const server = external === undefined ? await startEmbedded() : { url: external, stop: async () => undefined };
  try {
    await withAdmin(server.url, (admin) => admin.query(`DROP DATABASE IF EXISTS ${TEMPLATE}`));
    await withAdmin(server.url, (admin) => admin.query(`CREATE DATABASE ${TEMPLATE}`));
    await migrate(databaseUrl(server.url, TEMPLATE));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startEmbedded(): Promise<TestServer> {
  const dir = await mkdtemp(join(tmpdir(), "codehub-test-pg-"));
  // Started by root, PostgreSQL runs as another user, and mkdtemp makes directories that only we can enter.
  await chmod(dir, 0o711);
  const server = await EmbeddedPostgres.start({
    dir,
    fallbackDir: dir,
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "400" },
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A database of its own for one test, cloned from the migrated template (tens of milliseconds) and dropped by `drop`. */
export type TestDatabase = AsyncDisposable & { url: string; name: string; drop: () => Promise<void> };

export async function cloneTemplate(serverUrl: string, template: string = TEMPLATE): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await withAdmin(serverUrl, (admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  const drop = async () => {
    await withAdmin(serverUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  };
  return { url: databaseUrl(serverUrl, name), name, drop, [Symbol.asyncDispose]: drop };
}

export async function createEmptyDatabase(serverUrl: string): Promise<TestDatabase> {
  return cloneTemplate(serverUrl, "template0");
}

async function withAdmin(serverUrl: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl(serverUrl, "postgres") });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

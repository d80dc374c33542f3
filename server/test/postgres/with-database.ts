import { inject } from "vitest";
import { cloneTemplate, createEmptyDatabase, type TestDatabase } from "./test-server.ts";

export type { TestDatabase } from "./test-server.ts";

/**
 * A real, migrated PostgreSQL database of its own for one test (or one file), in tens of milliseconds:
 *
 *   await using database = await createTestDatabase();
 *   const pool = new pg.Pool({ connectionString: database.url });
 *
 * or in beforeEach/afterEach with `database.drop()`. Dropping cuts connections that are still open.
 *
 * The vitest project of the test names `globalSetup: ["server/test/postgres/global-setup.ts"]`, which starts one embedded
 * server for the whole run. Programs outside vitest (simulator, benchmarks) call `startTestServer` and `cloneTemplate`
 * of ./test-server.ts themselves.
 */
export function createTestDatabase(): Promise<TestDatabase> {
  return cloneTemplate(inject("postgresServerUrl"));
}

/** The same without any schema, for tests of the migrations themselves. */
export function createUnmigratedDatabase(): Promise<TestDatabase> {
  return createEmptyDatabase(inject("postgresServerUrl"));
}

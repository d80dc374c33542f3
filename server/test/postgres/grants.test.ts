import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { createTestDatabase, type TestDatabase } from "./with-database.ts";

// The ownership table of the design, written out once more by hand: the test compares PostgreSQL with this, not with
// the migration that grants.
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  [API_ROLE]: [
    "name",
    "description",
    "memo",
    "image_ref",
    "desired_state",
    "desired_version",
    "deleted_at",
    "purge",
    "request",
    "standby_ttl_seconds",
    "archive_ttl_seconds",
    "keep_awake_until",
    "awake_asked_from",
    "awake_asked_seconds",
    "source",
    "setup_wanted",
    "setup_skipped",
    "keys_allowed",
    "address",
    "last_access_at",
    "owner_id",
  ],
  [COORDINATOR_ROLE]: [
    "conditions",
    "phase",
    "phase_changed_at",
    "observed_at",
    "operation",
    "op_started_at",
    "op_id",
    "op_epoch",
    "request_done",
    "expired_at",
    "home_volume",
    "archive_key",
    "archive_op_id",
    "endpoint",
    "home_ctx",
    "error_reason",
    "error_count",
    "error_info",
    "reconcile_failure_count",
    "next_attempt_at",
  ],
  // Written by the trigger, or once at creation.
  nobody: ["id", "created_at", "row_version", "updated_at"],
  // PostgreSQL refuses these to everybody, before it looks at privileges.
  generated: ["settled", "holds_slot"],
};

const INSUFFICIENT_PRIVILEGE = "42501";
const GENERATED_ALWAYS = "428C9";
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `INSERT INTO users (id, username, password_hash, role) VALUES (gen_random_uuid(), 'owner', 'x', 'user')`,
  );
  await client.query(
    `INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state)
     SELECT gen_random_uuid(), id, 'one', 'image', 'STANDBY' FROM users`,
  );
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Writes the column's own value back as the role; resolves to the SQLSTATE of the refusal, or to the rows written. */
async function tryUpdate(role: string, column: string): Promise<string | number | null> {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL ROLE ${role}`);
    return (await client.query(`UPDATE workspaces SET ${column} = ${column}`)).rowCount;
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? "no code") : String(error);
  } finally {
    await client.query("ROLLBACK");
  }
}

test("every column of workspaces has exactly one writer in the ownership table", async () => {
  const answer = await client.query<{ attname: string }>(
    "SELECT attname FROM pg_attribute WHERE attrelid = 'workspaces'::regclass AND attnum > 0 AND NOT attisdropped",
  );
  const columns = answer.rows.map((row) => row.attname).sort();
  expect(Object.values(WRITERS).flat().sort()).toEqual(columns);
});

for (const role of [API_ROLE, COORDINATOR_ROLE]) {
  describe(`as ${role}`, () => {
    for (const [writer, columns] of Object.entries(WRITERS)) {
      test.each(columns)(writer === role ? "%s may be written" : "%s is refused", async (column) => {
        const refusal = writer === "generated" ? GENERATED_ALWAYS : INSUFFICIENT_PRIVILEGE;
        expect(await tryUpdate(role, column)).toBe(writer === role ? 1 : refusal);
      });
    }
  });
}

test.each([
  [API_ROLE, "DELETE FROM workspaces"],
  [COORDINATOR_ROLE, "DELETE FROM workspaces"],
  [COORDINATOR_ROLE, "INSERT INTO workspaces (id) VALUES (gen_random_uuid())"],
  [API_ROLE, "INSERT INTO workspaces (id, phase) VALUES (gen_random_uuid(), 'RUNNING')"],
  [API_ROLE, "UPDATE leader SET epoch = epoch + 1"],
  [API_ROLE, "UPDATE archives SET state = 'orphan'"],
  [API_ROLE, "UPDATE volumes SET state = 'gone'"],
  [API_ROLE, "DELETE FROM workspace_events"],
  [API_ROLE, "DELETE FROM addresses"],
  [API_ROLE, "UPDATE addresses SET workspace_id = gen_random_uuid()"],
  [COORDINATOR_ROLE, "INSERT INTO addresses (label, workspace_id) VALUES ('a-bcdf23', gen_random_uuid())"],
  [COORDINATOR_ROLE, "UPDATE workspace_events SET summary = ''"],
  [COORDINATOR_ROLE, "SELECT password_hash FROM users"],
  [COORDINATOR_ROLE, "SELECT token_hash FROM sessions"],
  [COORDINATOR_ROLE, "SELECT token_hash FROM api_tokens"],
  [API_ROLE, "UPDATE credential_checks SET state = 'done'"],
  [API_ROLE, "INSERT INTO credential_checks (id, state) VALUES (gen_random_uuid(), 'done')"],
  [API_ROLE, "DELETE FROM credential_checks"],
  [COORDINATOR_ROLE, "INSERT INTO credential_checks (id) VALUES (gen_random_uuid())"],
  [COORDINATOR_ROLE, "UPDATE credential_checks SET clone_url = ''"],
  [API_ROLE, "UPDATE deployment SET engine_id = 'other'"],
  [COORDINATOR_ROLE, "UPDATE deployment SET deployment_id = gen_random_uuid()"],
])("%s is refused: %s", async (role, sql) => {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL ROLE ${role}`);
    await expect(client.query(sql)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  } finally {
    await client.query("ROLLBACK");
  }
});

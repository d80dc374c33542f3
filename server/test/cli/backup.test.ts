import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KEY_TABLES, SAVED_TABLES, UNSAVED_TABLES } from "#adapters/postgres/backup-tables.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { openPostgres, type PostgresFixture } from "../postgres/postgres-fixture.ts";
import { createTestDatabase, createUnmigratedDatabase } from "../postgres/with-database.ts";
import { codehub } from "./codehub.ts";

const NASTY = "tab\t, newline\n, quote \" ' \\, \u2028, 漢字, 🦊";

describe("codehub backup and restore", () => {
  let source: PostgresFixture;
  let folder: string;
  beforeAll(async () => {
    source = await openPostgres();
    folder = await mkdtemp(join(tmpdir(), "codehub-backup-"));
    const owner = await source.owner();
    await source.admin.query(
      `INSERT INTO workspaces (id, owner_id, name, memo, image_ref, desired_state, home_ctx, conditions, last_access_at)
       SELECT gen_random_uuid(), $1, 'w' || n, $2, 'image', 'STANDBY', '{"sizeBytes": 9007199254740991}',
         '{"policy.healthy": {"status": true}}', '2026-11-17 20:00:00.123+00' FROM generate_series(1, 1203) AS n`,
      [owner, NASTY],
    );
    await source.admin.query(
      `INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count, manifest_digest,
         format_version, verified_at)
       SELECT 'key of ' || id, id, gen_random_uuid(), 'current', repeat('a', 64), 9007199254740991, 1, 1, 'm', 1, now()
       FROM workspaces LIMIT 700`,
    );
    await source.admin.query(
      `INSERT INTO workspace_events (kind, actor_kind, summary) SELECT 'wish', 'system', $1 FROM generate_series(1, 20)`,
      [NASTY],
    );
    await source.admin.query(
      `INSERT INTO sessions (token_hash, kind, user_id, expires_at) VALUES (sha256('CANARY'), 'dashboard', $1, now() + interval '1 day')`,
      [owner],
    );
  });
  afterAll(async () => {
    await source.close();
    await rm(folder, { recursive: true });
  });
  const file = (name: string): string => join(folder, name);
  const place = (url: string) => ({ DATABASE_URL: url, DATA_DIR: file("data"), RUNTIME: "process" });
  const backup = (name: string, ...more: string[]) => codehub(place(source.url), "backup", file(name), ...more);
  const contentOf = async (client: pg.ClientBase, table: string): Promise<string[]> =>
    (await client.query(`SELECT to_json(t)::text AS row FROM ${table} AS t ORDER BY 1`)).rows.map(({ row }) => row);
  const asTold = async (url: string, look: (client: pg.Client) => Promise<void>): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await look(client).finally(() => client.end());
  };

  test("every table is saved, is a key, or is left out on purpose", async () => {
    const { rows } = await source.admin.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    const listed = [...SAVED_TABLES, ...KEY_TABLES, ...UNSAVED_TABLES];
    expect(listed.toSorted()).toEqual(rows.map(({ tablename }) => tablename).toSorted());
  });

  test("into an empty database: every row is as it was, and collection is paused", async () => {
    const done = await backup("whole");
    expect(done).toMatchObject({ code: EXIT.inOrder, said: expect.stringContaining("1203 workspaces, 700 archives") });
    await using target = await createUnmigratedDatabase();
    const restored = await codehub(place(target.url), "restore", file("whole"));
    expect(restored).toMatchObject({ code: EXIT.inOrder, said: expect.stringContaining("collection is paused") });
    await asTold(target.url, async (client) => {
      for (const table of SAVED_TABLES.filter((name) => !["deployment", "leader", "workspace_events"].includes(name)))
        expect(await contentOf(client, table), table).toEqual(await contentOf(source.admin, table));
      const events = await contentOf(client, "workspace_events");
      expect(events).toEqual(expect.arrayContaining(await contentOf(source.admin, "workspace_events")));
      const kinds = await client.query("SELECT kind FROM workspace_events WHERE id > 20");
      expect(kinds.rows).toEqual([{ kind: "database_restored" }]);
      const [deployment] = (await client.query("SELECT * FROM deployment")).rows;
      const [before] = (await source.admin.query("SELECT * FROM deployment")).rows;
      expect(deployment.deployment_id).toBe(before.deployment_id);
      expect(deployment.gc_quarantine_reason).toMatch(/restored from a backup of 2/);
      // Both roles work on it as on any other.
      await client.query("SET ROLE codehub_api");
      await client.query("INSERT INTO workspace_events (kind, actor_kind, summary) VALUES ('wish', 'system', 'x')");
      expect((await client.query("SELECT FROM sessions")).rowCount).toBe(0);
    });
  });

  test("what lets people in is in a file of its own, and only where it was asked for", async () => {
    await backup("with-keys", "--keys", file("keys"));
    const hash = (await source.admin.query("SELECT encode(sha256('CANARY'), 'hex') AS hash")).rows[0].hash;
    expect(gunzipSync(readFileSync(file("with-keys"))).toString()).not.toContain(hash);
    expect(gunzipSync(readFileSync(file("keys"))).toString()).toContain(hash);
    await using target = await createUnmigratedDatabase();
    const one = await codehub(place(target.url), "restore", file("with-keys"), "--keys", file("keys"));
    expect(one.code).toBe(EXIT.inOrder);
    await asTold(target.url, async (client) => {
      expect(await contentOf(client, "sessions")).toEqual(await contentOf(source.admin, "sessions"));
    });
    const mixed = await codehub(place(target.url), "restore", file("whole"), "--keys", file("keys"));
    expect(mixed.complained).toMatch(/was not taken with/);
  });

  test("is of one moment, whoever writes meanwhile", async () => {
    await source.admin.query(`INSERT INTO fleet_samples VALUES (now(), '{"n": -1}')`);
    let over = false;
    const writing = (async () => {
      for (let n = 0; !over; n++) {
        await source.admin.query("BEGIN");
        await source.admin.query("UPDATE fleet_samples SET counts = $1", [`{"n": ${n}}`]);
        await source.admin.query("UPDATE workspaces SET memo = $1 WHERE name IN ('w1', 'w1203')", [`moment ${n}`]);
        await source.admin.query("COMMIT");
      }
    })();
    const { code } = await backup("moment");
    over = true;
    await writing;
    expect(code).toBe(EXIT.inOrder);
    const text = gunzipSync(readFileSync(file("moment"))).toString();
    const moments = [...text.matchAll(/"memo":"moment (\d+)"|"counts":\{"n": ?(\d+)\}/g)].map(
      ([, one, other]) => one ?? other,
    );
    expect(moments).toHaveLength(3);
    expect(new Set(moments).size).toBe(1);
  });

  test("a database in use, and one that CodeHub runs on, are left as they are", async () => {
    await using target = await createTestDatabase();
    await asTold(target.url, async (client) => {
      await client.query(
        "INSERT INTO users (id, username, password_hash, role) VALUES (gen_random_uuid(), 'hana', 'x', 'user')",
      );
      const users = await contentOf(client, "users");
      const refused = await codehub(place(target.url), "restore", file("whole"));
      expect(refused).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("is not empty") });
      await client.query("SELECT pg_advisory_lock(7201948)");
      const busy = await codehub(place(target.url), "restore", file("whole"), "--replace");
      expect(busy).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("CodeHub runs") });
      expect(await contentOf(client, "users")).toEqual(users);
      await client.query("SELECT pg_advisory_unlock(7201948)");
      expect((await codehub(place(target.url), "restore", file("whole"), "--replace")).code).toBe(EXIT.inOrder);
      expect(await contentOf(client, "users")).toEqual(await contentOf(source.admin, "users"));
    });
  });

  test("a file that is there is not written over, and a damaged one restores nothing", async () => {
    expect((await backup("twice")).code).toBe(EXIT.inOrder);
    const again = await backup("twice");
    expect(again).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("exists already") });
    await rm(file("cut"), { force: true });
    const { writeFile } = await import("node:fs/promises");
    await writeFile(file("cut"), readFileSync(file("whole")).subarray(0, 2_000));
    await using target = await createUnmigratedDatabase();
    const cut = await codehub(place(target.url), "restore", file("cut"));
    expect(cut).toMatchObject({ code: EXIT.failed, complained: expect.stringMatching(/cut short/) });
    await asTold(target.url, async (client) => {
      expect((await client.query("SELECT FROM pg_tables WHERE schemaname = 'public'")).rowCount).toBe(0);
    });
  });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { countOperations } from "#adapters/postgres/queries/views/count-operations.ts";
import { findSummaries } from "#adapters/postgres/queries/views/find-summaries.ts";
import { listStampsBy, listWorkspacesBy } from "#adapters/postgres/queries/views/list-workspaces.ts";
import { summariseFleet } from "#adapters/postgres/queries/views/summarise-fleet.ts";
import { countSlots } from "#adapters/postgres/queries/workspaces/count-slots.ts";
import { listArchivesUnchecked } from "#adapters/postgres/queries/workspaces/list-archives-unchecked.ts";
import { listExpirable } from "#adapters/postgres/queries/workspaces/list-expirable.ts";
import { listIdleCandidates } from "#adapters/postgres/queries/workspaces/list-idle-candidates.ts";
import { listUnsettled } from "#adapters/postgres/queries/workspaces/list-unsettled.ts";
import { listWithResources } from "#adapters/postgres/queries/workspaces/list-with-resources.ts";
import type { Statement, Value } from "#adapters/postgres/statement.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

const ROWS = 20_000;
let database: PostgresFixture;
let ownerId: string;

/** A fleet as it is after a while: nearly everything rests in an archive, one in a hundred is in use or on its way. */
beforeAll(async () => {
  database = await openPostgres();
  for (let owners = 0; owners < 20; owners += 1) ownerId = await database.owner();
  const { admin } = database;
  await admin.query("ALTER TABLE workspaces DISABLE TRIGGER USER");
  await admin.query(
    `INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state, phase, archive_key, conditions, created_at)
     SELECT gen_random_uuid(), owner.id, 'w' || n, 'image', 'ARCHIVED', 'ARCHIVED', 'k' || n,
       jsonb_build_object('storage.archive_ready', jsonb_build_object('status', true,
         'checked_at', to_char(now() - n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
       now() - n * interval '1 minute'
     FROM generate_series(1, $1) AS n
     JOIN (SELECT id, row_number() OVER () - 1 AS index FROM users) AS owner ON owner.index = n % 20`,
    [ROWS],
  );
  await admin.query(
    `UPDATE workspaces SET desired_state = 'RUNNING', phase = CASE WHEN right(name, 1) < '5' THEN 'RUNNING' ELSE 'STANDBY' END,
       home_volume = 'v' || name WHERE name LIKE 'w%77'`,
  );
  await admin.query(
    "UPDATE workspaces SET desired_state = 'DELETED', phase = 'DELETED', deleted_at = now() - interval '9 days' WHERE name LIKE 'w%88'",
  );
  await admin.query("ALTER TABLE workspaces ENABLE TRIGGER USER");
  await admin.query("VACUUM ANALYZE workspaces");
});
afterAll(() => database.close());

/** The plan as text, for the values that are really asked with. */
async function planOf<P extends Record<keyof P, Value>>(query: Statement<P, object>, params: P): Promise<string> {
  const values = query.parameters.map((name) => params[name] as unknown);
  const answer = await database.admin.query({ text: `EXPLAIN ${query.text}`, values, rowMode: "array" });
  return answer.rows.flat().join("\n");
}

const before = new Date(Date.now() - 15_000_000).toISOString();
const page = { ownerId: null, text: null, phases: null, afterValue: null, afterId: null, limit: 51 };

test.each<[string, () => Promise<string>]>([
  ["workspaces_unsettled", () => planOf(listUnsettled, { limit: 500 })],
  [
    "workspaces_idle",
    () => planOf(listIdleCandidates, { standbyTtlSeconds: 600, archiveTtlSeconds: 1_800, limit: 500 }),
  ],
  ["workspaces_expiring", () => planOf(listExpirable, { retentionMs: 604_800_000, limit: 100 })],
  ["workspaces_slots", () => planOf(countSlots, { ownerId, id: ownerId })],
  ["workspaces_archive_check", () => planOf(listArchivesUnchecked, { before, limit: 100 })],
  ["workspaces_home_volume", () => planOf(listWithResources, {})],
  ["workspaces_unsettled", () => planOf(countOperations, {})],
  ["workspaces_unsettled", () => planOf(summariseFleet, {})],
  ["workspaces_by_age", () => planOf(listWorkspacesBy({ sort: "created_at", order: "desc", trash: "exclude" }), page)],
  ["workspaces_by_age", () => planOf(listStampsBy({ sort: "created_at", order: "desc", trash: "exclude" }), page)],
  [
    "workspaces_of_owner",
    () => planOf(listStampsBy({ sort: "created_at", order: "desc", trash: "exclude" }), { ...page, ownerId }),
  ],
  [
    "workspaces_pkey",
    () => planOf(findSummaries.exclude, { ownerId: null, text: null, phases: null, ids: [ownerId, ownerId] }),
  ],
  [
    "workspaces_of_owner",
    () => planOf(listWorkspacesBy({ sort: "created_at", order: "desc", trash: "exclude" }), { ...page, ownerId }),
  ],
])("%s is used: the price follows what is asked for, not the number of rows", async (index, plan) => {
  const text = await plan();
  expect(text).toContain(index);
  expect(text).not.toContain("Seq Scan on workspaces");
});

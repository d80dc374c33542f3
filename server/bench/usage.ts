import { randomUUID } from "node:crypto";
import pg from "pg";
import { createPool } from "#adapters/postgres/connection.ts";
import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresLeaderStore } from "#adapters/postgres/stores/leader-store.ts";
import { samplesByColumn } from "#adapters/postgres/stores/usage-writer.ts";
import type { UsageSample } from "#core/rules/usage.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import type { BenchResult } from "./result.ts";
import { median } from "./shared/median.ts";

const WORKSPACES = Number(process.env["USAGE_BENCH_WORKSPACES"] ?? 10_000);
const MINUTES = 20;
const DAY_MINUTES = 1_440;

/**
 * One minute's samples of ten thousand running workspaces, fenced and with their index, against the same columns put into a bare table of
 * the same server without index, fence or transaction of ours; and what thinning costs a minute.
 */
export async function run(): Promise<BenchResult> {
  const server = await startTestServer();
  const database = await cloneTemplate(server.url);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const pool = createPool({ url: database.url, role: COORDINATOR_ROLE, max: 4, applicationName: "bench" });
  try {
    const minted = await admin.query("UPDATE leader SET epoch = epoch + 1, holder = 'bench' RETURNING epoch::integer");
    const store = new PostgresLeaderStore(pool, minted.rows[0]?.epoch);
    await admin.query("CREATE UNLOGGED TABLE bare (LIKE usage_minutes)");
    await admin.query("ALTER TABLE bare SET LOGGED");
    const ids = Array.from({ length: WORKSPACES }, () => randomUUID());
    const ours: number[] = [];
    const bare: number[] = [];
    for (let minute = 0; minute <= MINUTES; minute++) {
      const samples = ids.map((id, index) => sampleOf(id, minute + index));
      const saved = await timed(() => store.saveUsage(samples));
      const put = await timed(() => admin.query(BARE, Object.values(samplesByColumn(samples))));
      // As if a minute had passed. The first of each is slower than all others: statements are planned.
      await admin.query(
        `UPDATE usage_minutes SET at = at - ${minute + 60} * interval '1 minute' WHERE at > now() - interval '30 minutes'`,
      );
      if (minute > 0) {
        ours.push(saved);
        bare.push(put);
      }
    }
    await admin.query("VACUUM FULL usage_minutes");
    const size = await admin.query(
      "SELECT pg_total_relation_size('usage_minutes')::float8 AS bytes, count(*)::int AS rows FROM usage_minutes",
    );
    const rowBytes = size.rows[0]?.bytes / size.rows[0]?.rows;
    await admin.query("UPDATE usage_minutes SET at = at - interval '30 hours'");
    const thinned: number[] = [];
    for (let call = 0; call < 10; call++) thinned.push(await timed(() => store.thinUsage(90 * 86_400_000)));
    return {
      metrics: {
        workspaces: WORKSPACES,
        minute_ms: median(ours),
        bare_insert_ms: median(bare),
        thinning_ms: median(thinned),
        row_bytes: rowBytes,
        day_mb: (rowBytes * WORKSPACES * DAY_MINUTES) / 1e6,
      },
      ratios: { bare_insert: median(bare) / median(ours) },
    };
  } finally {
    await pool.end();
    await admin.end();
    await database.drop();
    await server.stop();
  }
}

const BARE = `INSERT INTO bare
  (workspace_id, at, cpu_cores, memory_bytes, home_bytes, disk_used_bytes, disk_total_bytes, disk_shared, missing)
  SELECT id, now(), cpu, memory, home, used, total, shared = 1, nullif(missing, '')::jsonb
  FROM unnest($1::uuid[], $2::real[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::integer[], $8::text[])
    AS given (id, cpu, memory, home, used, total, shared, missing)`;

const sampleOf = (workspaceId: string, n: number): UsageSample => ({
  workspaceId,
  cpuCores: (n % 100) / 50,
  memoryBytes: 4e8 + (n % 1_000) * 1e6,
  homeBytes: 2e9 + n,
  disk: { usedBytes: 3e11 + n, totalBytes: 1e12, shared: true },
  missing: {},
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

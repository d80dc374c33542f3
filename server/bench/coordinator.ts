import pg from "pg";
import { MemoryActivityBuffer } from "#adapters/memory/activity.ts";
import { MemoryBus } from "#adapters/memory/bus.ts";
import { createPool } from "#adapters/postgres/connection.ts";
import { PostgresElection } from "#adapters/postgres/election.ts";
import { PostgresNotificationSource } from "#adapters/postgres/notification-source.ts";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresLeaderStore } from "#adapters/postgres/stores/leader-store.ts";
import { PostgresRequestStore } from "#adapters/postgres/stores/request-store.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { processWitness } from "#adapters/system/process-witness.ts";
import { runCoordinator } from "#coordinator/coordinator.ts";
import { DatabaseClock } from "#coordinator/database-clock.ts";
import { type CoordinatorDeps, DECISIONS } from "#coordinator/deps.ts";
import { Lease } from "#coordinator/lease.ts";
import { fromLists } from "#coordinator/look.ts";
import { sweep } from "#coordinator/sweep.ts";
import { untried } from "#coordinator/trust.ts";
import { requestLevel } from "#core/requests/requests.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { busHints } from "#events/hints.ts";
import { ChangeListener } from "#events/listener.ts";
import { DEFAULT_CHANNELS, DEFAULT_SETTINGS } from "../test/fixtures/settings.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import { idleWorld } from "./coordinator/idle-world.ts";
import { throughOutage } from "./coordinator/outage.ts";
import { fillDatabase } from "./coordinator/rows.ts";
import type { BenchResult } from "./result.ts";

const SIZES = [1_000, 10_000, 100_000] as const;
/** One per cent of the largest, and the same in all: the cost must follow these and not the rows around them. */
const ACTIVE = 1_000;
const TICKS = 15;
const WAKES = 200;
/** Of which all run, for the outage. */
const FLEET = 10_000;
const OBSERVED_AT_ONCE = 8;

/**
 * What a tick costs with 1,000 running workspaces among 1k, 10k and 100k rows, how soon a request is claimed, and how 10,000
 * running ones come through an outage of their engine.
 */
export async function run(): Promise<BenchResult> {
  const server = await startTestServer();
  const metrics: Record<string, number> = {};
  try {
    for (const total of SIZES) {
      await using database = await cloneTemplate(server.url);
      await fillDatabase(database.url, total, ACTIVE);
      const bench = await open(database.url);
      try {
        await observeOnce(bench);
        metrics[`tick_ms_${total / 1_000}k`] = await tickMs(bench);
        if (total === SIZES.at(-1)) Object.assign(metrics, await wakeToClaim(bench));
      } finally {
        await bench.close();
      }
    }
    await using database = await cloneTemplate(server.url);
    await fillDatabase(database.url, FLEET, FLEET);
    const fleet = await open(database.url);
    try {
      await observeOnce(fleet);
      Object.assign(metrics, await throughOutage(fleet.deps, database.url, FLEET));
    } finally {
      await fleet.close();
    }
  } finally {
    await server.stop();
  }
  const at = (size: string): number => metrics[`tick_ms_${size}`] ?? Number.NaN;
  return { metrics, ratios: { scale_10k_100k: at("10k") / at("100k") } };
}

interface Bench {
  readonly deps: CoordinatorDeps;
  readonly leader: PostgresLeaderStore;
  readonly rows: readonly Workspace[];
  readonly url: string;
  readonly close: () => Promise<void>;
}

async function open(url: string): Promise<Bench> {
  const logger = createLogger({ level: "error" });
  const api = createPool({ url, role: API_ROLE, max: 8, applicationName: "bench api" });
  const coordinator = createPool({ url, role: COORDINATOR_ROLE, max: 12, applicationName: "bench coordinator" });
  const election = new PostgresElection({
    url,
    pool: coordinator,
    holder: "bench",
    identity: processWitness.self,
    logger,
  });
  const term = await election.campaign(new AbortController().signal);
  if (term === null) throw new Error("the bench could not become leader");
  const leader = new PostgresLeaderStore(coordinator, term.epoch);
  await term.release();
  const rows = await leader.listWithResources();
  const bus = new MemoryBus();
  const source = new PostgresNotificationSource(url, logger);
  const listener = new ChangeListener({ source, bus, channels: DEFAULT_CHANNELS, clock, logger });
  const deps: CoordinatorDeps = {
    ...idleWorld(rows),
    clock,
    ids,
    logger,
    election,
    witness: processWitness,
    requestStore: new PostgresRequestStore(api),
    hints: busHints(bus, DEFAULT_CHANNELS),
    activity: new MemoryActivityBuffer(),
    decisions: DECISIONS,
    settings: { ...DEFAULT_SETTINGS, ttl: { standbyTtlSeconds: 0, archiveTtlSeconds: 0 } },
    onTerm: (_epoch, ended) => void listener.run(ended),
  };
  const close = async (): Promise<void> => {
    await bus.close();
    await Promise.all([api.end(), coordinator.end()]);
  };
  return { deps, leader, rows, url, close };
}

/** The rows get the words a coordinator would have written, so that nothing differs afterwards. */
async function observeOnce({ deps, leader, rows }: Bench): Promise<void> {
  const containers = Map.groupBy(await deps.runtime.list(), (container) => container.workspaceId);
  const volumes = new Map((await deps.volumes.list()).map((volume) => [volume.name, volume.workspaceId]));
  const rest = rows.values();
  const workers = Array.from({ length: OBSERVED_AT_ONCE }, async () => {
    for (const row of rest) {
      const observation = fromLists(row, clock.nowMs(), containers.get(row.id) ?? [], volumes);
      await leader.mutate(row.id, (facts) => deps.decisions.observe(facts, observation, row.rowVersion));
    }
  });
  await Promise.all(workers);
}

/** One poll and one whole sweep, everything settled: what the leader pays while nothing happens. Median. */
async function tickMs({ deps, leader }: Bench): Promise<number> {
  const term = {
    deps,
    store: leader,
    world: deps,
    lease: new Lease(clock, 3_600_000),
    databaseClock: new DatabaseClock(clock),
    logger: deps.logger,
    signal: new AbortController().signal,
    end: () => {},
    trust: untried(),
  };
  const times: number[] = [];
  for (let at = 0; at < TICKS; at++) {
    const begun = performance.now();
    await leader.listUnsettled(500);
    const due = await sweep(term);
    times.push(performance.now() - begun);
    if (due.length > 0) throw new Error(`${due.length} settled rows were found to differ`);
  }
  return percentile(times, 0.5);
}

/** From the commit of a request to the commit of its claim, as told by the database to a third party. */
async function wakeToClaim({ deps, rows, url }: Bench): Promise<Record<string, number>> {
  const control = new AbortController();
  const running = runCoordinator(deps, control.signal);
  const watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  await watcher.query("LISTEN ws_sse");
  const claimed = new Map<string, () => void>();
  watcher.on("notification", ({ payload }) => {
    const { id } = JSON.parse(payload ?? "{}");
    // This world stops a workspace in no time: by now the operation may be over already.
    void deps.requestStore.read(id).then((row) => {
      if (row?.operation !== "NONE" || row.phase !== "RUNNING") claimed.get(id)?.();
    });
  });
  await clock.sleep(deps.settings.leaseMs + 2_000);
  const limits = { maxRunningPerUser: 1e6, maxRunningGlobal: 1e6 };
  const times: number[] = [];
  for (const row of rows.slice(0, WAKES)) {
    const seen = new Promise<number>((resolve) => claimed.set(row.id, () => resolve(performance.now())));
    await deps.requestStore.change(row.id, { countSlots: false }, (facts) =>
      requestLevel(facts, "STANDBY", limits, "bench"),
    );
    const committed = performance.now();
    times.push(Math.max(0, (await seen) - committed));
  }
  control.abort();
  await running;
  await watcher.end();
  return { wake_to_claim_ms_p50: percentile(times, 0.5), wake_to_claim_ms_p99: percentile(times, 0.99) };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

import { monitorEventLoopDelay } from "node:perf_hooks";
import pg from "pg";
import { runCoordinator } from "#coordinator/coordinator.ts";
import type { CoordinatorDeps } from "#coordinator/deps.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { Volumes } from "#ports/volumes.ts";

const LIMIT_MS = 300_000;
const RESOLUTION_MS = 5;

/**
 * A term that begins while the engine is away, which is then back: how long until every row says that it cannot be seen and
 * until it says again what is there, how often the engine was asked for that, and the longest that nothing else could run in
 * the process, such as what renews the lease.
 */
export async function throughOutage(deps: CoordinatorDeps, url: string, rows: number): Promise<Record<string, number>> {
  const engine = { isAway: true, calls: 0 };
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const control = new AbortController();
  let terms = 0;
  const onTerm = (epoch: number, ended: AbortSignal): void => {
    terms += 1;
    deps.onTerm?.(epoch, ended);
  };
  delays.enable();
  const cpu = process.cpuUsage();
  const running = runCoordinator({ ...deps, ...awayAtTimes(deps, engine), onTerm }, control.signal);
  try {
    const doubtedMs = await untilDoubted(client, rows);
    engine.isAway = false;
    const seenMs = await untilDoubted(client, 0);
    const { user, system } = process.cpuUsage(cpu);
    return {
      outage_doubted_s: doubtedMs / 1_000,
      outage_seen_again_s: seenMs / 1_000,
      outage_engine_calls: engine.calls,
      outage_terms: terms,
      outage_cpu_s: (user + system) / 1e6,
      outage_blocked_ms_max: delays.max / 1e6 - RESOLUTION_MS,
    };
  } finally {
    control.abort();
    await running;
    await client.end();
  }
}

function awayAtTimes(
  { runtime, volumes }: CoordinatorDeps,
  engine: { isAway: boolean; calls: number },
): { readonly runtime: Runtime; readonly volumes: Volumes } {
  const asked = <Args extends unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      engine.calls += 1;
      if (engine.isAway) throw new Error("connect ECONNREFUSED");
      return await ask(...args);
    };
  };
  const { engineId, list, inspect } = runtime;
  return {
    runtime: { ...runtime, engineId: asked(engineId), list: asked(list), inspect: asked(inspect) },
    volumes: { ...volumes, list: asked(volumes.list), inspect: asked(volumes.inspect) },
  };
}

/** How long it took until so many rows say that something of them cannot be seen. */
async function untilDoubted(client: pg.Client, expected: number): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const { rows } = await client.query<{ doubted: number }>(
      "SELECT count(*)::integer AS doubted FROM workspaces WHERE conditions -> 'storage.volume_ready' ? 'unknown_since'",
    );
    const tookMs = performance.now() - begun;
    if (rows[0]?.doubted === expected) return tookMs;
    if (tookMs > LIMIT_MS) throw new Error(`${rows[0]?.doubted} rows are in doubt and not ${expected}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

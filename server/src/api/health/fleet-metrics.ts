import type { ApiDeps } from "#api/deps.ts";
import { CHECKS } from "#core/doctor/finding.ts";
import { OPERATION_NAMES } from "#core/rows/workspace.ts";
import { KEPT_REASONS } from "#core/rules/gc.ts";
import type { FleetView } from "#ports/views.ts";
import { componentHealth, TOLD_COMPONENTS } from "./components.ts";
import { FINDING_LEVELS } from "./metrics.ts";

/** An examination writes to the store and asks every part a few things: not at every scrape. */
const EXAMINE_EVERY_MS = 300_000;

/** What is read when somebody asks for metrics; while the database is away, the rest is still told. */
export function fleetMetrics(deps: ApiDeps): () => Promise<void> {
  const { metrics, views, hub, bus, logger } = deps;
  const examine = examineNowAndThen(deps);
  return async () => {
    metrics.streams.set(hub.clientCount);
    metrics.component.set({ component: "bus" }, bus.health().ok ? 1 : 0);
    examine();
    try {
      const fleet = await views.fleet();
      tellWorkspaces(deps, fleet);
      tellOperations(deps, fleet);
      tellCollection(deps, fleet);
      metrics.leaderEpoch.set(fleet.leader?.epoch ?? 0);
      for (const { name, status } of componentHealth(deps, fleet))
        if (name !== "bus") metrics.component.set({ component: name }, status === "ok" ? 1 : 0);
    } catch (error) {
      metrics.component.set({ component: "database" }, 0);
      // What was last heard of them is not what they are.
      for (const component of TOLD_COMPONENTS) metrics.component.remove({ component });
      logger.warn({ error: String(error) }, "fleet figures could not be read");
    }
  };
}

function tellWorkspaces({ metrics, settings }: ApiDeps, fleet: FleetView): void {
  for (const [phase, count] of Object.entries(fleet.counts)) metrics.workspaces.set({ phase }, count);
  metrics.slots.set({ kind: "held" }, fleet.slotsHeld);
  metrics.slots.set({ kind: "limit" }, settings.limits.maxRunningGlobal);
  metrics.converging.set(fleet.converging);
  metrics.oldestConverging.set((fleet.oldestConvergingMs ?? 0) / 1_000);
}

/** Those that did not occur are told as well: an alert on what is missing never fires. */
function tellOperations({ metrics }: ApiDeps, fleet: FleetView): void {
  for (const operation of OPERATION_NAMES) {
    const seen = fleet.operations.find((one) => one.operation === operation);
    metrics.operations.set({ operation }, seen?.running ?? 0);
    metrics.operationsLastDay.set({ operation, outcome: "completed" }, seen?.finished24h ?? 0);
    metrics.operationsLastDay.set({ operation, outcome: "failed" }, seen?.failed24h ?? 0);
    metrics.operationDuration.set({ operation, quantile: "0.5" }, seen?.medianSeconds ?? 0);
    metrics.operationDuration.set({ operation, quantile: "0.95" }, seen?.p95Seconds ?? 0);
  }
}

function tellCollection({ metrics }: ApiDeps, { gc }: FleetView): void {
  metrics.collectionQuarantined.set(gc.quarantine === null ? 0 : 1);
  metrics.collectionWaiting.set({ state: "ageing" }, gc.ageing);
  metrics.collectionWaiting.set({ state: "aged" }, gc.aged);
  for (const reason of KEPT_REASONS)
    metrics.collectionKept.set({ reason }, gc.kept.find((kept) => kept.reason === reason)?.count ?? 0);
  metrics.collectionRemoved.set(gc.removed24h);
  metrics.collectionLastRun.set((gc.lastRunAt ?? 0) / 1_000);
}

/** Nobody waits for it: what was found is told from the next scrape on. */
function examineNowAndThen({ metrics, clock, logger, examine }: ApiDeps): () => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    const { findings } = await examine();
    for (const check of CHECKS) {
      for (const level of FINDING_LEVELS) {
        const found = findings.filter((finding) => finding.check === check && finding.level === level);
        metrics.findings.set({ check, level }, found.length);
      }
    }
  };
  return () => {
    if (clock.monotonicMs() - lastAt < EXAMINE_EVERY_MS) return;
    lastAt = clock.monotonicMs();
    look().catch((error: unknown) => logger.warn({ error: String(error) }, "nothing could be examined for metrics"));
  };
}

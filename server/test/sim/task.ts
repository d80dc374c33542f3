import type { FaultKind } from "./faults.ts";
import { plantNamed } from "./plants.ts";
import { runSeed } from "./run.ts";
import type { CrashPoint, Violation } from "./sim.ts";
import { runScenario, type ScenarioName } from "./sweep.ts";

/** One piece of work for a worker: plain data, because it crosses a thread. */
export type Task =
  | { readonly kind: "seed"; readonly seed: number; readonly plant: string | null }
  | {
      readonly kind: "sweep";
      readonly scenario: ScenarioName;
      readonly points: readonly CrashPoint[];
    };

export interface RunSummary {
  readonly steps: number;
  readonly virtualMs: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly seen: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
  /** For the sweep: how many calls the scenario made. */
  readonly calls: number;
  /** What the simulation itself threw, if it did. */
  readonly failed: string | null;
}

export async function runTask(task: Task): Promise<RunSummary> {
  try {
    if (task.kind === "sweep") return { ...(await runScenario(task.scenario, task.points)), failed: null };
    const plant = task.plant === null ? null : plantNamed(task.plant);
    const { steps, virtualMs, faults, seen, violations } = await runSeed(task.seed, { plant });
    return { steps, virtualMs, faults, seen, violations, calls: 0, failed: null };
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { steps: 0, virtualMs: 0, faults: new Map(), seen: new Map(), violations: [], calls: 0, failed };
  }
}

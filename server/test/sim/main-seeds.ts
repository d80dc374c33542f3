import { plantNamed } from "./plants.ts";
import { runAll } from "./pool.ts";
import { runSeed } from "./run.ts";
import { Tally } from "./tally.ts";
import type { Task } from "./task.ts";

export interface SeedsOptions {
  readonly from: number;
  readonly count: number;
  /** Go on with fresh seeds for this long instead of a fixed count. */
  readonly minutes: number | null;
  readonly trace: boolean;
  readonly plant: string | null;
}

/** Fewer seeds than this need not have met everything. */
const COVERAGE_FROM = 1_000;

/** True when no invariant was violated and, in a long run, nothing that should be seen was missed. */
export async function seedsRun(options: SeedsOptions): Promise<boolean> {
  if (options.trace) return await traceOne(options);
  const tally = new Tally();
  const failures: string[] = [];
  const startedAt = process.hrtime.bigint();
  const seconds = (): number => Number((process.hrtime.bigint() - startedAt) / 1_000_000n) / 1_000;
  let seed = options.from;
  const next = (): Task | null => {
    const more = options.minutes === null ? seed < options.from + options.count : seconds() < options.minutes * 60;
    return more && failures.length < 20 ? { kind: "seed", seed: seed++, plant: options.plant } : null;
  };
  await runAll(next, (result, task) => {
    tally.add(result);
    if (task.kind !== "seed") return;
    if (result.failed !== null) failures.push(`seed ${task.seed}: the simulation threw ${result.failed}`);
    const [first] = result.violations;
    if (first === undefined) return;
    const replay = `npm run sim -- --seed ${task.seed} --trace${task.plant === null ? "" : ` --plant ${task.plant}`}`;
    failures.push(`seed ${task.seed}: ${first.invariant} ${first.message}\n  replay: ${replay}`);
  });
  for (const line of tally.lines()) console.log(line);
  console.log(`wall clock ${seconds().toFixed(0)} s`);
  const missing = tally.runs >= COVERAGE_FROM ? tally.missing() : [];
  if (missing.length > 0) console.log(`never seen: ${missing.join("; ")}`);
  for (const failure of failures) console.log(failure);
  console.log(`violations: ${failures.length}`);
  return failures.length === 0 && missing.length === 0;
}

async function traceOne({ from, plant }: SeedsOptions): Promise<boolean> {
  const result = await runSeed(from, { tracing: true, plant: plant === null ? null : plantNamed(plant) });
  for (const line of result.lines) console.log(line);
  const days = (result.virtualMs / 86_400_000).toFixed(2);
  console.log(`seed ${from}: ${result.steps} steps, ${days} virtual days, ${result.violations.length} violations`);
  for (const { invariant, message } of result.violations) console.log(`${invariant}: ${message}`);
  return result.violations.length === 0;
}

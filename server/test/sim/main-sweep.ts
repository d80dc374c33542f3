import { runAll } from "./pool.ts";
import type { CrashPoint } from "./sim.ts";
import { runScenario, SCENARIOS, type ScenarioName } from "./sweep.ts";
import type { Task } from "./task.ts";

const WHENS = ["before", "after"] as const;

/** Every point of a whole life, on one machine and on a cluster, and every pair of points on the archive and restore paths. True when all pass. */
export async function sweepRun(scenario: string | null, crashes: readonly string[]): Promise<boolean> {
  if (scenario !== null) return await traceOne(scenario, crashes);
  const tasks: Task[] = [];
  for (const name of SCENARIOS) {
    const { calls, violations } = await runScenario(name, []);
    if (calls === 0 || violations.length > 0) {
      console.log(`${name}: the clean run failed: ${violations[0]?.message ?? "no calls were counted"}`);
      return false;
    }
    const singles = singlesOf(calls);
    const isLife = name === "life" || name === "cluster";
    const points = isLife ? singles.map((point) => [point]) : pairsOf(singles);
    console.log(`${name}: ${calls} awaits, ${points.length} ${isLife ? "crash points" : "pairs of crash points"}`);
    for (const pair of points) tasks.push({ kind: "sweep", scenario: name, points: pair });
  }
  const failures: string[] = [];
  const queue = tasks.values();
  await runAll(
    () => queue.next().value ?? null,
    (result, task) => {
      const trouble = result.failed ?? result.violations[0]?.message;
      if (trouble === undefined || task.kind !== "sweep") return;
      const crash = task.points.map(({ call, when }) => `--crash ${call}:${when}`).join(" ");
      failures.push(
        `${task.scenario}: ${trouble}\n  replay: npm run sim -- --sweep --scenario ${task.scenario} ${crash}`,
      );
    },
  );
  for (const failure of failures.slice(0, 20)) console.log(failure);
  console.log(`crash points run: ${tasks.length}, failed: ${failures.length}`);
  return failures.length === 0;
}

const singlesOf = (calls: number): CrashPoint[] =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((call) => WHENS.map((when) => ({ call, when })));

/** The second crash hits whoever took over, so its number is counted on from the first. */
const pairsOf = (singles: readonly CrashPoint[]): CrashPoint[][] =>
  singles.flatMap((first) => singles.filter((second) => second.call > first.call).map((second) => [first, second]));

async function traceOne(name: string, crashes: readonly string[]): Promise<boolean> {
  const scenario: ScenarioName | undefined = SCENARIOS.find((one) => one === name);
  if (scenario === undefined) throw new Error(`There is no scenario ${name}; there are ${SCENARIOS.join(", ")}.`);
  const points = crashes.map((text): CrashPoint => {
    const [call = "", when = ""] = text.split(":");
    return { call: Number(call), when: when === "after" ? "after" : "before" };
  });
  const result = await runScenario(scenario, points, true);
  for (const line of result.lines) console.log(line);
  return result.violations.length === 0;
}

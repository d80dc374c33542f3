import { INVARIANTS, PLANTS } from "./plants.ts";
import { runAll } from "./pool.ts";
import type { Task } from "./task.ts";

/** How many seeds each planted bug may take to be found. */
const BUDGET = 400;

interface Hunt {
  readonly plant: (typeof PLANTS)[number];
  next: number;
  found: { readonly seed: number; readonly invariant: string; readonly message: string } | null;
}

/** True when every planted bug was found by an invariant that should find it, within its budget. */
export async function plantedRun(only: string | null): Promise<boolean> {
  const hunts: Hunt[] = PLANTS.filter(({ name }) => only === null || name === only).map((plant) => ({
    plant,
    next: 1,
    found: null,
  }));
  const caught = new Set<string>();
  const next = (): Task | null => {
    const open = hunts.find((hunt) => hunt.found === null && hunt.next <= BUDGET);
    return open === undefined ? null : { kind: "seed", seed: open.next++, plant: open.plant.name };
  };
  await runAll(next, (result, task) => {
    if (task.kind !== "seed") return;
    const hunt = hunts.find(({ plant }) => plant.name === task.plant);
    if (hunt === undefined || hunt.found !== null) return;
    if (result.failed !== null) throw new Error(`${hunt.plant.name}, seed ${task.seed}: ${result.failed}`);
    for (const { invariant } of result.violations) caught.add(invariant);
    const hit = result.violations.find(({ invariant }) => hunt.plant.caughtBy.includes(invariant));
    if (hit !== undefined) {
      hunt.found = { seed: task.seed, ...hit };
      console.log(`found ${hunt.plant.name} at seed ${task.seed}: ${hit.invariant} ${hit.message}`);
    }
  });
  const missed = hunts.filter(({ found }) => found === null);
  for (const { plant } of missed) console.log(`NOT FOUND ${plant.name} in ${BUDGET} seeds: ${plant.what}`);
  const idle = only === null ? INVARIANTS.filter((invariant) => !caught.has(invariant)) : [];
  for (const invariant of idle) console.log(`NOTHING was caught by ${invariant}`);
  console.log(
    `planted ${hunts.length}, found ${hunts.length - missed.length}; invariants that caught one: ${caught.size}`,
  );
  return missed.length === 0 && idle.length === 0;
}

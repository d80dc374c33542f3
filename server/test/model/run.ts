import { explore, type Result } from "./explore.ts";
import { INVARIANTS, type Tested, untested } from "./invariants.ts";
import { MIXES, type Mix } from "./mixes.ts";
import { KINDS } from "./moves.ts";
import { HOLES, type Hole } from "./planted.ts";
import { protocol } from "./protocol.ts";
import { boundsOf, CLOSED_PROTOCOL, type Rules } from "./rules.ts";
import { CLOSED_SUCCESSION, SUCCESSION_HOLES, succession } from "./succession.ts";

/** Far above the largest mix: an exploration that gets here was not bounded as its author thought. */
const STATE_LIMIT = 8_000_000;

/** How leaders follow each other, with every rule in place. */
export const SUCCESSION = "how leaders follow each other";

export interface Task {
  readonly set: "mix" | "hole" | "succession";
  readonly name: string;
}

export interface Outcome extends Result {
  readonly task: Task;
  readonly seconds: number;
  readonly tested: Tested;
}

export function runTask(task: Task): Outcome {
  const began = performance.now();
  const tested = untested();
  if (task.set === "succession") {
    const result = explore(succession(successionRules(task.name)), { liveness: false, limit: STATE_LIMIT });
    return { ...result, task, tested, seconds: (performance.now() - began) / 1000 };
  }
  const { rules, bounds, liveness } = lookUp(task);
  const result = explore(protocol(rules, boundsOf(bounds), tested), { liveness, limit: STATE_LIMIT });
  return { ...result, task, tested, seconds: (performance.now() - began) / 1000 };
}

function lookUp(task: Task): Pick<Mix, "bounds" | "liveness"> & { readonly rules: Rules } {
  if (task.set === "mix") return { ...find(MIXES, (m) => m.name, task.name), rules: CLOSED_PROTOCOL };
  const hole: Hole = find(HOLES, (h) => h.id, task.name);
  const off = Object.fromEntries(hole.off.map((rule) => [rule, false]));
  return { ...hole, rules: { ...CLOSED_PROTOCOL, ...off } };
}

function successionRules(name: string): typeof CLOSED_SUCCESSION {
  if (name === SUCCESSION) return CLOSED_SUCCESSION;
  return { ...CLOSED_SUCCESSION, [find(SUCCESSION_HOLES, (h) => h.id, name).off]: false };
}

function find<T>(list: readonly T[], nameOf: (x: T) => string, name: string): T {
  const found = list.find((x) => nameOf(x) === name);
  if (found === undefined)
    throw new Error(`The model has nothing named "${name}"; it has ${list.map(nameOf).join(", ")}.`);
  return found;
}

/** What several explorations did together, to see whether some part of the model was never exercised. */
export interface Coverage {
  readonly taken: ReadonlyMap<string, number>;
  readonly tested: ReadonlyMap<string, number>;
  readonly gaps: readonly string[];
}

export function coverageOf(outcomes: readonly Outcome[]): Coverage {
  const sum = (names: readonly string[], pick: (o: Outcome, name: string) => number): Map<string, number> =>
    new Map(names.map((name) => [name, outcomes.reduce((total, o) => total + pick(o, name), 0)]));
  const taken = sum(Object.keys(KINDS), (o, kind) => o.taken[kind] ?? 0);
  const tested = sum(Object.keys(INVARIANTS), (o, name) => o.tested[name as keyof Tested]);
  const gaps = [
    ...[...taken].filter(([, n]) => n === 0).map(([kind]) => `no exploration ever took the move "${kind}"`),
    ...[...tested].filter(([, n]) => n === 0).map(([name]) => `no exploration ever put ${name} to a test`),
  ];
  return { taken, tested, gaps };
}

import { Graph, Ints } from "./graph.ts";

/**
 * An exhaustive breadth-first search through everything a system can do. Breadth first, so that the first violation met
 * is reached by a shortest path.
 */

interface SystemMove<S> {
  readonly kind: string;
  readonly describe: () => string;
  readonly to: S;
}

export interface System<S> {
  readonly initial: () => S;
  readonly moves: (s: S) => readonly SystemMove<S>[];
  /** The representative of all states that have the same future as this one. */
  readonly canonical: (s: S) => S;
  readonly key: (canonical: S) => string;
  readonly violation: (canonical: S) => string | null;
  /** For liveness: where the system should be able to get to, and by which kinds of moves. */
  readonly settled: (canonical: S) => boolean;
  readonly helpful: (kind: string) => boolean;
}

export interface Options {
  /** Also ask whether the system can settle from every state it can reach. */
  readonly liveness: boolean;
  readonly limit: number;
}

type Verdict = "holds" | "violated" | "stuck" | "cut off";

export interface Result {
  readonly verdict: Verdict;
  readonly states: number;
  readonly transitions: number;
  /** How often each kind of move was taken. */
  readonly taken: Readonly<Record<string, number>>;
  readonly reason: string;
  readonly trace: readonly string[];
}

export function explore<S>(system: System<S>, options: Options): Result {
  const ids = new Map<string, number>();
  const parents = new Ints();
  const taken: Record<string, number> = {};
  const graph = options.liveness ? new Graph() : null;
  let transitions = 0;

  const result = (verdict: Verdict, reason = "", trace: readonly string[] = []): Result => ({
    verdict,
    states: ids.size,
    transitions,
    taken,
    reason,
    trace,
  });

  const first = system.canonical(system.initial());
  ids.set(system.key(first), 0);
  parents.push(-1);
  graph?.addState(system.settled(first));
  const atOnce = system.violation(first);
  if (atOnce !== null) return result("violated", atOnce);

  let from = 0;
  let level: S[] = [first];
  while (level.length > 0) {
    const next: S[] = [];
    for (const s of level) {
      for (const move of system.moves(s)) {
        transitions += 1;
        taken[move.kind] = (taken[move.kind] ?? 0) + 1;
        const t = system.canonical(move.to);
        const key = system.key(t);
        const known = ids.get(key);
        const id = known ?? ids.size;
        if (system.helpful(move.kind)) graph?.addEdge(from, id);
        if (known !== undefined) continue;
        ids.set(key, id);
        parents.push(from);
        graph?.addState(system.settled(t));
        const reason = system.violation(t);
        if (reason !== null) return result("violated", reason, replay(system, pathTo(ids, parents, id)));
        next.push(t);
      }
      from += 1;
      if (ids.size > options.limit) return result("cut off", `more than ${options.limit} states`);
    }
    level = next;
  }

  const stuck = graph?.unsettling() ?? [];
  const [shortest] = stuck;
  if (shortest === undefined) return result("holds");
  const reason = `L: ${stuck.length} states have no way to settle without faults, wishes or rescue`;
  return result("stuck", reason, replay(system, pathTo(ids, parents, shortest)));
}

/** The keys along the path from the initial state, which is left out. Costs a walk over all keys, once per trace. */
function pathTo(ids: ReadonlyMap<string, number>, parents: Ints, id: number): string[] {
  const wanted = new Map<number, string>();
  for (let i = id; i > 0; i = parents.at(i)) wanted.set(i, "");
  for (const [key, i] of ids) if (wanted.has(i)) wanted.set(i, key);
  return [...wanted.values()].reverse();
}

/**
 * Walks the path again from the start without renaming anything, so that a name in the trace means the same thing from
 * the first line to the last.
 */
function replay<S>(system: System<S>, path: readonly string[]): string[] {
  let s = system.initial();
  return path.map((key) => {
    const move = system.moves(s).find((m) => system.key(system.canonical(m.to)) === key);
    if (move === undefined)
      throw new Error("The model is not symmetric under renaming: a path cannot be walked again.");
    s = move.to;
    return move.describe();
  });
}

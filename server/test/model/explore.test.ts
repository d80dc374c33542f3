import { expect, test } from "vitest";
import { explore, type System } from "./explore.ts";
import { untested } from "./invariants.ts";
import { KINDS } from "./moves.ts";
import { coverageOf, type Outcome } from "./run.ts";

const SAFETY = { liveness: false, limit: 1000 };
const LIVENESS = { liveness: true, limit: 1000 };

/** Systems whose states and faults can be counted by hand, to check the explorer before it is believed. */
function toy<S>(initial: S, moves: (s: S) => Record<string, S>, more: Partial<System<S>> = {}): System<S> {
  return {
    initial: () => initial,
    moves: (s) => Object.entries(moves(s)).map(([kind, to]) => ({ kind, describe: () => kind, to })),
    canonical: (s) => s,
    key: (s) => JSON.stringify(s),
    violation: () => null,
    settled: () => false,
    helpful: () => true,
    ...more,
  };
}

test("counts the states and transitions of a clock", () => {
  const clock = toy(0, (hour) => ({ tick: (hour + 1) % 12 }));
  expect(explore(clock, SAFETY)).toMatchObject({ verdict: "holds", states: 12, transitions: 12, taken: { tick: 12 } });
});

interface Increments {
  readonly counter: number;
  /** What each process has read; null before, -1 after it has written. */
  readonly read: readonly (number | null)[];
}

function increments(s: Increments): Record<string, Increments> {
  const next: Record<string, Increments> = {};
  s.read.forEach((value, i) => {
    const set = (v: number): (number | null)[] => s.read.map((old, j) => (i === j ? v : old));
    if (value === null) next[`${i} reads`] = { ...s, read: set(s.counter) };
    else if (value >= 0) next[`${i} writes`] = { counter: value + 1, read: set(-1) };
  });
  return next;
}

test("finds a lost update by a shortest path", () => {
  const lost = (s: Increments) => (s.read.every((v) => v === -1) && s.counter < 2 ? "an update was lost" : null);
  const result = explore(toy({ counter: 0, read: [null, null] }, increments, { violation: lost }), SAFETY);
  expect(result.verdict).toBe("violated");
  expect(result.reason).toBe("an update was lost");
  expect(result.trace).toEqual(["0 reads", "1 reads", "0 writes", "1 writes"]);
});

test("holds the violation of the very first state against the system", () => {
  const result = explore(
    toy(0, () => ({}), { violation: () => "born broken" }),
    SAFETY,
  );
  expect(result).toMatchObject({ verdict: "violated", reason: "born broken", trace: [] });
});

test("explores one of all states that differ in names only, and replays traces with the real names", () => {
  const coins = (s: readonly boolean[]) => ({
    "flip a": [!s[0], s[1] === true],
    "flip b": [s[0] === true, !s[1]],
  });
  const sorted = (s: readonly boolean[]) => [...s].sort();
  const start: readonly boolean[] = [false, false];
  expect(explore(toy(start, coins), SAFETY).states).toBe(4);
  expect(explore(toy(start, coins, { canonical: sorted }), SAFETY).states).toBe(3);
  const both = (s: readonly boolean[]) => (s.every(Boolean) ? "both heads" : null);
  const result = explore(toy(start, coins, { canonical: sorted, violation: both }), SAFETY);
  expect([...result.trace].sort()).toEqual(["flip a", "flip b"]);
});

test("notices a canonical form that merges states with different futures", () => {
  const count = toy(0, (n) => (n < 5 ? { up: n + 1 } : {}), {
    canonical: (n) => (n === 1 ? 3 : n),
    violation: (n) => (n === 5 ? "five" : null),
  });
  expect(() => explore(count, SAFETY)).toThrow("cannot be walked again");
});

const TRAP = (place: string): Record<string, string> =>
  ({ start: { walk: "middle" }, middle: { home: "home", fall: "pit" }, pit: { climb: "pit" }, home: {} })[place] ?? {};

test("finds states from which the system cannot settle any more", () => {
  const settled = (place: string) => place === "home";
  const result = explore(toy("start", TRAP, { settled }), LIVENESS);
  expect(result).toMatchObject({ verdict: "stuck", states: 4, trace: ["walk", "fall"] });
  expect(result.reason).toMatch("1 states");
});

test("does not count moves that nobody may hope for as a way to settle", () => {
  const settled = (place: string) => place === "home";
  const result = explore(toy("start", TRAP, { settled, helpful: (kind) => kind !== "home" }), LIVENESS);
  expect(result.verdict).toBe("stuck");
  expect(result.reason).toMatch("3 states");
});

test("says so when it did not reach the end", () => {
  const endless = toy(0, (n) => ({ up: n + 1 }));
  expect(explore(endless, { liveness: false, limit: 100 }).verdict).toBe("cut off");
});

test("reports moves never taken and invariants never tested", () => {
  const taken = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 1]));
  const tested = Object.fromEntries(Object.keys(untested()).map((name) => [name, 1]));
  const full = { taken, tested: { ...untested(), ...tested } } as unknown as Outcome;
  expect(coverageOf([full]).gaps).toEqual([]);
  const partial = {
    taken: { ...taken, "gc.delete": 0 },
    tested: { ...untested(), ...tested, I4: 0 },
  } as unknown as Outcome;
  expect(coverageOf([partial]).gaps).toEqual([
    'no exploration ever took the move "gc.delete"',
    "no exploration ever put I4 to a test",
  ]);
});

import { beforeAll, describe, expect, test } from "vitest";
import { MIXES } from "./mixes.ts";
import { HOLES } from "./planted.ts";
import { runInThreads } from "./pool.ts";
import { coverageLines, holeLines, mixLine } from "./report.ts";
import { CLOSED_PROTOCOL } from "./rules.ts";
import { coverageOf, type Outcome, type Task } from "./run.ts";

const print = (lines: readonly string[]): void => {
  process.stdout.write(`${lines.join("\n")}\n`);
};

const byName = (outcomes: readonly Outcome[], name: string): Outcome | undefined =>
  outcomes.find((o) => o.task.name === name);

describe("the protocol holds under", () => {
  const quick = MIXES.filter((mix) => mix.quick);
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    const tasks = quick.map(({ name }): Task => ({ set: "mix", name }));
    outcomes = await runInThreads(tasks, 2, (o) => print(mixLine(o)));
  });

  test.each(quick.map((mix) => mix.name))("%s", (name) => {
    const { verdict, trace } = byName(outcomes, name) ?? {};
    expect({ verdict, trace }).toEqual({ verdict: "holds", trace: [] });
  });

  test("moves of every kind, with every invariant put to a test", () => {
    const coverage = coverageOf(outcomes);
    print(coverageLines(coverage));
    expect(coverage.gaps).toEqual([]);
  });
});

describe("the model finds", () => {
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    const tasks = HOLES.map(({ id }): Task => ({ set: "hole", name: id }));
    outcomes = await runInThreads(tasks, 2, (o) => print(holeLines(o, false)));
  });

  test.each(HOLES)("$id: $title", ({ id, liveness }) => {
    const { verdict, trace } = byName(outcomes, id) ?? {};
    expect(verdict).toBe(liveness ? "stuck" : "violated");
    expect(trace?.length).toBeGreaterThan(0);
  });

  test("a use for every protection: each is part of a planted hole", () => {
    const used = new Set<string>(HOLES.flatMap((hole) => hole.off));
    expect(Object.keys(CLOSED_PROTOCOL).filter((rule) => !used.has(rule))).toEqual([]);
  });
});

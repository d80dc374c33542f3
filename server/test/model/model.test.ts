import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { explore } from "./explore.ts";
import { untested } from "./invariants.ts";
import { MIXES } from "./mixes.ts";
import { HOLES } from "./planted.ts";
import { runInThreads } from "./pool.ts";
import { protocol } from "./protocol.ts";
import { coverageLines, holeLines, mixLine } from "./report.ts";
import { boundsOf, CLOSED_PROTOCOL } from "./rules.ts";
import { coverageOf, type Outcome, runTask, SUCCESSION, type Task } from "./run.ts";
import { CLOSED_SUCCESSION, SUCCESSION_HOLES } from "./succession.ts";

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

const DOC = readFileSync(new URL("../../../docs/architecture/protocol-model.md", import.meta.url), "utf8");
const ADRS = new URL("../../../docs/adr/", import.meta.url);
const count = (n: number): string => n.toLocaleString("en");

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

  test("the figures that the documentation gives", () => {
    for (const o of outcomes)
      expect(DOC).toContain(`| ${o.task.name} | ${count(o.states)} | ${count(o.transitions)} |`);
    for (const { name } of MIXES) expect(DOC).toContain(`| ${name} | `);
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

  test("what the documentation says it finds", () => {
    for (const { id, title, off } of HOLES) {
      const { trace, reason } = byName(outcomes, id) ?? {};
      const without = off.map((rule) => `\`${rule}\``).join(", ");
      const breaks = reason?.split(":")[0];
      expect(DOC).toContain(`| ${id} | ${title} | ${without} | ${trace?.length} | ${breaks} |`);
    }
  });

  test("what the decision records cite, after as many steps", () => {
    for (const file of readdirSync(ADRS)) {
      for (const [, id, steps] of readFileSync(new URL(file, ADRS), "utf8").matchAll(/\b([HGA]\d+\w?): (\d+) steps/g)) {
        expect({ file, id, steps: Number(steps) }).toEqual({
          file,
          id,
          steps: byName(outcomes, id ?? "")?.trace.length,
        });
      }
    }
  });

  // Otherwise a line of the table would blame a rule that has nothing to do with it.
  test.each(HOLES)("$id only without all the rules it names", ({ off, bounds, liveness }) => {
    for (const kept of off) {
      const others = Object.fromEntries(off.filter((rule) => rule !== kept).map((rule) => [rule, false]));
      const system = protocol({ ...CLOSED_PROTOCOL, ...others }, boundsOf(bounds), untested());
      expect(explore(system, { liveness, limit: 1_000_000 }).verdict).toBe("holds");
    }
  });

  test("a use for every protection: each is part of a planted hole", () => {
    const used = new Set<string>(HOLES.flatMap((hole) => hole.off));
    expect(Object.keys(CLOSED_PROTOCOL).filter((rule) => !used.has(rule))).toEqual([]);
  });
});

describe("leaders follow each other", () => {
  test("such that nobody acts once a later one has acted", () => {
    const { verdict, trace, states, transitions, taken } = runTask({ set: "succession", name: SUCCESSION });
    expect({ verdict, trace }).toEqual({ verdict: "holds", trace: [] });
    expect(DOC).toContain(`| ${SUCCESSION} | ${count(states)} | ${count(transitions)} |`);
    // Both ways into a term were taken, or the rule about them was not put to a test.
    expect(taken).toMatchObject({ skip: expect.any(Number), wait: expect.any(Number) });
  });

  test.each(SUCCESSION_HOLES)("$id: $title", ({ id, title, off }) => {
    const { verdict, trace } = runTask({ set: "succession", name: id });
    expect(verdict).toBe("violated");
    expect(DOC).toContain(`| ${id} | ${title} | \`${off}\` | ${trace.length} | IE |`);
  });

  test("as the decision records cite, after as many steps", () => {
    const stepsOf = (id: string): number => runTask({ set: "succession", name: id }).trace.length;
    for (const file of readdirSync(ADRS)) {
      for (const [, id = "", steps] of readFileSync(new URL(file, ADRS), "utf8").matchAll(/\b(S\d+): (\d+) steps/g))
        expect({ file, id, steps: Number(steps) }).toEqual({ file, id, steps: stepsOf(id) });
    }
  });

  test("with a use for every protection", () => {
    const used = new Set<string>(SUCCESSION_HOLES.map((hole) => hole.off));
    expect(Object.keys(CLOSED_SUCCESSION).filter((rule) => !used.has(rule))).toEqual([]);
  });
});

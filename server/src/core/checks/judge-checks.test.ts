import { describe, expect, test } from "vitest";
import type { OpenCheck } from "./check.ts";
import { judgeChecks, TOO_LATE_MS } from "./judge-checks.ts";

const NOW = 10_000_000;
const check = (id: string, state: OpenCheck["state"], agoMs = 0): OpenCheck => ({
  ...{ id, state, askedAt: NOW - agoMs, userId: "u", kind: "https", host: "h", cloneUrl: "https://h/x" },
});
function judged(open: readonly OpenCheck[], underWay: readonly string[] = [], most = 2) {
  const { run, ...rest } = judgeChecks(open, { underWay: new Set(underWay), now: NOW, most });
  return { ...rest, run: run.map(({ id }) => id) };
}
const NOTHING = { interrupted: [], late: [], run: [] };

describe("questions that are not answered", () => {
  test.each([
    ["nothing asked", [], [], NOTHING],
    ["asked", [check("a", "asked")], [], { ...NOTHING, run: ["a"] }],
    ["running here", [check("a", "running")], ["a"], NOTHING],
    ["begun here, and the row was read before", [check("a", "asked")], ["a"], NOTHING],
    ["running of another leader's", [check("a", "running")], [], { ...NOTHING, interrupted: ["a"] }],
    ["running for long, of another leader's", [check("a", "running", 9e6)], [], { ...NOTHING, interrupted: ["a"] }],
    ["running for long, here", [check("a", "running", 9e6)], ["a"], NOTHING],
    ["asked just in time", [check("a", "asked", TOO_LATE_MS)], [], { ...NOTHING, run: ["a"] }],
    ["asked too long ago", [check("a", "asked", TOO_LATE_MS + 1)], [], { ...NOTHING, late: ["a"] }],
    [
      "more than may run: the oldest first",
      [check("a", "asked", 1), check("b", "asked", 3), check("c", "asked", 2)],
      [],
      { ...NOTHING, run: ["b", "c"] },
    ],
    ["no room", [check("a", "asked")], ["b", "c"], NOTHING],
    ["more under way than may be", [check("a", "asked")], ["b", "c", "d"], NOTHING],
  ] as const)("%s", (_, open, underWay, plan) => {
    expect(judged(open, underWay)).toEqual(plan);
  });
});

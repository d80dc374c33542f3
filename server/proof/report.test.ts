import { expect, it } from "vitest";
import { tableOf } from "./report.ts";

const outcome = { name: "cut", did: "a | b\n  c", saw: ["one", "two"], homes: 2, seconds: 12.4, violation: null };

it("is one line for each scenario, whatever is in its words", () => {
  const lines = tableOf("kubernetes", [outcome]).split("\n");
  expect(lines[4]).toBe("| cut | a \\| b c | one; two | 2 | 12 | yes |");
});

it("says what did not hold, and how many", () => {
  const table = tableOf("kubernetes", [outcome, { ...outcome, violation: "two writers" }]);
  expect(table).toContain("| NO: two writers |");
  expect(table).toContain("1 held, 1 did not");
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** One style: what has a body is a function; an arrow stands for a single expression. */
const ARROW_WITH_BODY = /^(?:export )?const \w+ = (?:async )?(?:<[^>]*>)?\([^)]*\)(?:: [^=]+)? => \{$/m;

it.each([
  ["export const start = async (id: string): Promise<void> => {\n", true],
  ["const start = (\n  id: string,\n) => {\n", true],
  ["export const double = (value: number): number => 2 * value;\n", false],
  ["  const inner = () => {\n", false],
])("tells an arrow with a body of its own: %j", (code, expected) => {
  expect(ARROW_WITH_BODY.test(code)).toBe(expected);
});

it("functions of a module with a body are declared as functions", () => {
  const list = execFileSync("git", ["ls-files", "contract", "dashboard", "scripts", "server"], { encoding: "utf8" });
  const sources = list.split("\n").filter((file) => /\.tsx?$/.test(file));
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.filter((file) => ARROW_WITH_BODY.test(readFileSync(file, "utf8")))).toEqual([]);
});

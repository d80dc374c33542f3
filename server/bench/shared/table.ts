import type { Goal, Row } from "../result.ts";

/** name, value, goal, met: one figure a line, under the name of its bench. */
export function tableOf(bench: string, rows: readonly Row[]): string {
  const lines = rows.map(({ name, value, goal, met }) =>
    [name.padEnd(32), shown(value).padStart(10), wordsOf(goal).padStart(12), metWord(met)].join("  ").trimEnd(),
  );
  return [bench, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));

function wordsOf(goal: Goal | null): string {
  if (goal === null) return "";
  return "atMost" in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
}

function metWord(met: boolean | null): string {
  if (met === null) return "";
  return met ? "met" : "MISSED";
}

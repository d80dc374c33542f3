import { INVARIANTS } from "./invariants.ts";
import { HOLES } from "./planted.ts";
import type { Coverage, Outcome } from "./run.ts";
import { SUCCESSION_HOLES } from "./succession.ts";

const count = (n: number): string => n.toLocaleString("en");

export function mixLine(o: Outcome): string[] {
  const figures = `${count(o.states).padStart(10)} states ${count(o.transitions).padStart(11)} transitions ${o.seconds.toFixed(1).padStart(6)} s`;
  return [`${o.task.name.padEnd(62)} ${figures}  ${o.verdict.toUpperCase()}`, ...story(o)];
}

export function holeLines(o: Outcome, withTrace: boolean): string[] {
  const found = o.verdict === "violated" || o.verdict === "stuck";
  const title = [...HOLES, ...SUCCESSION_HOLES].find((h) => h.id === o.task.name)?.title ?? "";
  const verdict = found
    ? `FOUND in ${String(o.trace.length).padStart(2)} steps`
    : `${o.verdict.toUpperCase()}: NOT FOUND`;
  const line = `${o.task.name.padEnd(5)} ${verdict}  ${title}`;
  return withTrace ? [line, ...story(o), ""] : [line];
}

function story(o: Outcome): string[] {
  if (o.reason === "") return [];
  return [`      ${o.reason}`, ...o.trace.map((step, i) => `      ${String(i + 1).padStart(2)}. ${step}`)];
}

export function coverageLines(coverage: Coverage): string[] {
  const lines = ["How often each kind of move was taken:"];
  for (const [kind, n] of coverage.taken) lines.push(`  ${kind.padEnd(32)} ${count(n).padStart(12)}`);
  lines.push("", "In how many states each invariant was put to a test:");
  for (const [name, n] of coverage.tested) {
    lines.push(`  ${name.padEnd(4)} ${count(n).padStart(12)}  ${INVARIANTS[name as keyof typeof INVARIANTS]}`);
  }
  for (const gap of coverage.gaps) lines.push(`NOT COVERED: ${gap}`);
  return lines;
}

export function jsonLine(o: Outcome): string {
  const { task, verdict, states, transitions, seconds, reason, trace } = o;
  return JSON.stringify({ ...task, verdict, states, transitions, seconds, reason, steps: trace.length, trace });
}

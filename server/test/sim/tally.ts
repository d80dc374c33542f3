import { COVERAGE } from "./coverage.ts";
import { FAULT_KINDS } from "./faults.ts";
import type { RunSummary } from "./task.ts";

/** Adds up what many runs did, and says what none of them did. */
export class Tally {
  runs = 0;
  steps = 0;
  virtualMs = 0;
  readonly faults: Map<string, number> = new Map();
  readonly seen: Map<string, number> = new Map();

  add(result: RunSummary): void {
    this.runs++;
    this.steps += result.steps;
    this.virtualMs += result.virtualMs;
    for (const [kind, count] of result.faults) this.faults.set(kind, (this.faults.get(kind) ?? 0) + count);
    for (const [what, count] of result.seen) this.seen.set(what, (this.seen.get(what) ?? 0) + count);
  }

  /** Faults and "sometimes" that never happened: a run that did not look there proves nothing about it. */
  missing(): string[] {
    const faults = FAULT_KINDS.filter((kind) => !this.faults.has(kind)).map((kind) => `fault ${kind}`);
    return [...faults, ...COVERAGE.filter((what) => !this.seen.has(what))];
  }

  lines(): string[] {
    const days = (this.virtualMs / 86_400_000).toFixed(0);
    const faults = FAULT_KINDS.map((kind) => `${kind} ${this.faults.get(kind) ?? 0}`);
    const seen = [...this.seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `  ${what}: ${count}`);
    return [
      `seeds ${this.runs}, virtual days ${days}, steps ${this.steps}`,
      `faults injected: ${faults.join(", ")}`,
      `seen (${this.seen.size}):`,
      ...seen,
    ];
  }
}

import { appendFileSync, writeSync } from "node:fs";
import { type JobProgress, type JobReport, RESULT_VARIABLE } from "./protocol.ts";

/** What a cluster keeps of a pod's last words. */
const RESULT_LIMIT_BYTES = 3_000;

/** One JSON line on stderr. Written at once, so that the last line is out before the process ends. */
export function report(line: JobReport): void {
  const text = `${JSON.stringify(line)}\n`;
  writeSync(2, text);
  const file = process.env[RESULT_VARIABLE];
  if (file === undefined || "progress" in line || text.length > RESULT_LIMIT_BYTES) return;
  try {
    appendFileSync(file, text);
  } catch {
    // It stands on stderr.
  }
}

/** Progress, at most once a second, and only when something has moved: silence is how a stuck job is noticed. */
export class ProgressReporter {
  readonly #step: JobProgress["step"];
  #totalBytes: number | null;
  #lastAt = Number.NEGATIVE_INFINITY;
  #lastBytes = -1;
  #lastFiles = -1;

  constructor(step: JobProgress["step"], totalBytes: number | null) {
    this.#step = step;
    this.#totalBytes = totalBytes;
  }

  expect(totalBytes: number): void {
    this.#totalBytes = totalBytes;
  }

  seen(doneBytes: number, doneFiles: number): void {
    const now = performance.now();
    if (now - this.#lastAt < 1000 || (doneBytes === this.#lastBytes && doneFiles === this.#lastFiles)) return;
    this.#lastAt = now;
    this.#lastBytes = doneBytes;
    this.#lastFiles = doneFiles;
    report({ progress: { step: this.#step, doneBytes, totalBytes: this.#totalBytes, doneFiles } });
  }
}

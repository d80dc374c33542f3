import { appendFileSync, writeSync } from "node:fs";
import {
  JobFailure,
  type JobProgress,
  type JobReport,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  RESULT_VARIABLE,
} from "./protocol.ts";

/** What a cluster keeps of a pod's last words. */
const RESULT_LIMIT_BYTES = 3_000;

/** One JSON line on stderr. Written at once, so that the last line is out before the process ends. */
export function report(line: JobReport): void {
  const text = `${JSON.stringify(line)}\n`;
  writeWhole(Buffer.from(text));
  const file = process.env[RESULT_VARIABLE];
  if (file === undefined || isProgress(line) || text.length > RESULT_LIMIT_BYTES) return;
  try {
    appendFileSync(file, text);
  } catch {
    // It stands on stderr.
  }
}

export const isProgress = (line: JobReport): boolean => "progress" in line || "preparing" in line;

/** A signal that comes while a pipe is full leaves the rest of a long line unwritten. */
function writeWhole(bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(2, bytes, written);
}

/** The server refuses a program that speaks otherwise, too: whichever of the two is newer knows what changed. */
export function requireSameProtocol(): void {
  const stated = process.env[PROTOCOL_VARIABLE];
  if (stated === undefined || stated === String(PROTOCOL_VERSION)) return;
  throw new JobFailure("ActionFailed", `the server speaks protocol ${stated}, this program ${PROTOCOL_VERSION}`);
}

export function failureReport(error: unknown): JobReport {
  if (error instanceof JobFailure) return { failure: { reason: error.reason, message: error.message } };
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === "ENOSPC" || code === "EDQUOT" ? "DiskFull" : "ActionFailed";
  return { failure: { reason, message: String(message) } };
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

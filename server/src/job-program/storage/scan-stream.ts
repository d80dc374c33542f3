import { once } from "node:events";
import { closeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { JobFailure, type JobFailureReason, type TreeFacts } from "../protocol.ts";
import type { ProgressReporter } from "../report.ts";
import type { Tool } from "../tools.ts";
import type { Described, ScanOptions, TarScan } from "./tar-scan.ts";

/** A program and our end of the pipe to it. */
export interface End {
  readonly tool: Tool;
  readonly pipe: number;
}

export interface ScanWork {
  readonly from: number;
  readonly to: number | null;
  readonly options: ScanOptions;
  /** Bytes of content and entries so far, for whoever shows the progress. */
  readonly counts: SharedArrayBuffer;
}

interface Failure {
  readonly reason: JobFailureReason;
  readonly message: string;
}

export type ScanOutcome = { readonly failure: Failure } | (Seen & Described) | (Seen & { readonly cut: Failure });

interface Seen {
  readonly hadRoot: boolean;
  readonly opened: TarScan["opened"];
}

/** A stream that was read to its end and held to the rules all the way. */
export interface Scanned extends Seen {
  /** Throws when the stream was cut short. Asked after the programs: one that failed says more than a cut does. */
  readonly requireWhole: () => void;
  /** The same, and what was in it; only where it was described. */
  readonly facts: () => TreeFacts;
  /** Likewise, as it was passed on: null where that is as it came. */
  readonly given: () => TreeFacts | null;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof JobFailure)) throw error;
  return { reason: error.reason, message: error.message };
}

const PROGRESS_MS = 250;

/**
 * Reads a tar stream from one program, holds it to the rules, and passes it on to another. A thread of its own does it with
 * reads and writes that wait, while this one listens to the programs. Both ends are closed when this settles.
 */
export async function scanStream(
  from: End,
  to: End | null,
  options: ScanOptions,
  progress: ProgressReporter,
): Promise<Scanned> {
  const counts = new SharedArrayBuffer(16);
  const seen = new Float64Array(counts);
  const tell = (): void => progress.seen(seen[0] ?? 0, seen[1] ?? 0);
  const work: ScanWork = { from: from.pipe, to: to?.pipe ?? null, options, counts };
  let over = false;
  let readerFailed: { readonly error: unknown } | null = null;
  to?.tool.finished.catch((error: unknown) => {
    if (over) return;
    // Without the rest nothing more comes, and the thread that waits for it goes on.
    readerFailed = { error };
    from.tool.kill();
  });
  tell();
  const telling = setInterval(tell, PROGRESS_MS);
  try {
    const outcome = await runWorker(work);
    over = true;
    if (readerFailed !== null) throw (readerFailed as { error: unknown }).error;
    if ("failure" in outcome) throw new JobFailure(outcome.failure.reason, outcome.failure.message);
    tell();
    return scanned(outcome);
  } finally {
    over = true;
    clearInterval(telling);
    // In this order and not before: only now may the reader see an end.
    if (to !== null) closeSync(to.pipe);
    closeSync(from.pipe);
  }
}

function scanned(outcome: Exclude<ScanOutcome, { failure: Failure }>): Scanned {
  const end = (): Described => {
    if ("facts" in outcome) return outcome;
    throw new JobFailure(outcome.cut.reason, outcome.cut.message);
  };
  return {
    hadRoot: outcome.hadRoot,
    opened: outcome.opened,
    requireWhole: () => void end(),
    facts: () => {
      const { facts } = end();
      if (facts === null) throw new Error("the stream was not described");
      return facts;
    },
    given: () => end().given,
  };
}

/** A thread that has nothing to do yet, or not any more. */
let idle: Worker | null = null;

/** Starts the thread while something else is waited for. Jobs that never need it do not call this. */
export function prepareScan(): void {
  idle ??= startWorker();
}

async function runWorker(work: ScanWork): Promise<ScanOutcome> {
  const worker = idle ?? startWorker();
  idle = null;
  worker.ref();
  worker.postMessage(work);
  // Rejects with whatever the thread failed with.
  const [outcome] = await once(worker, "message");
  worker.unref();
  idle = worker;
  return outcome as ScanOutcome;
}

function startWorker(): Worker {
  const worker = new Worker(new URL("./scan-worker.ts", import.meta.url), {
    // It says nothing there. Otherwise Node would open this process's own, and make the pipe that zstd writes to one that
    // does not wait.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 },
  });
  worker.unref();
  return worker;
}

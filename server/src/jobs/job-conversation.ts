import { createInterface } from "node:readline";
import type { PrepareProgress } from "#job-program/prepare-protocol.ts";
import { type Greeting, type JobProgress, type JobReport, PROTOCOL_VERSION } from "#job-program/protocol.ts";
import { failureOf, OperationFailure } from "#ports/failure.ts";
import type { JobBytes } from "./job-channel.ts";
import type { RunningJob } from "./job-launcher.ts";

type FinalReport = Exclude<
  JobReport,
  { greeting: Greeting } | { progress: JobProgress } | { preparing: PrepareProgress } | { failure: object }
>;

export interface Conversation {
  /** The way of its bytes, open as soon as the job has greeted us in our protocol. Rejects when it never does. */
  readonly bytes: Promise<JobBytes>;
  /**
   * How it ended; settles when it has, or where only that can be told, when it is gone. Success needs both: the closing report and exit code 0. A job that was killed
   * gives neither, however cleanly its streams were closed.
   */
  readonly outcome: Promise<FinalReport>;
}

/** Lines of a job are its own, but a container's stderr may also carry a runtime's words: they are kept for the message. */
const MAX_STRAY = 2000;

interface Listeners {
  readonly onProgress: (progress: JobProgress) => void;
  readonly onPreparing?: (progress: PrepareProgress) => void;
  /** What it says last. It is not the outcome: a job that says that it is done may still fail. */
  readonly onClosing: (report: FinalReport) => void;
  readonly onGreeting: (greeting: Greeting) => void;
}

/** Listens to one job until it is gone. A program of another version is ended before it is given anything. */
export function converse(
  job: RunningJob,
  onProgress: (progress: JobProgress) => void,
  onClosing: (report: FinalReport) => void = () => {},
): Conversation {
  const { promise: bytes, resolve, reject } = Promise.withResolvers<JobBytes>();
  const onGreeting = (greeting: Greeting): void => resolve(job.bytes(greeting));
  const outcome = listen(job, { onProgress, onClosing, onGreeting });
  outcome.catch(reject);
  // Whoever needs no bytes asks for the outcome only.
  bytes.catch(() => {});
  return { bytes, outcome };
}

/**
 * For jobs that have nothing to send or to receive but their answer. Their input is left open: they do not read it, and a
 * connection over TLS whose end is said by both sides in the same moment was seen never to end.
 */
export async function outcomeWithoutBytes(
  job: RunningJob,
  onPreparing: (progress: PrepareProgress) => void = () => {},
): Promise<FinalReport> {
  const onGreeting = (greeting: Greeting): void => {
    job.bytes(greeting).then(
      ({ output }) => output.resume(),
      () => {},
    );
  };
  return await listen(job, { onProgress: () => {}, onClosing: () => {}, onGreeting, onPreparing });
}

async function listen(
  job: RunningJob,
  { onProgress, onPreparing, onClosing, onGreeting }: Listeners,
): Promise<FinalReport> {
  let greeted = false;
  let final: FinalReport | null = null;
  let failure: OperationFailure | null = null;
  let stray = "";
  const take = (report: JobReport): void => {
    if (!greeted) {
      const refused = otherVersion(report, job.image);
      if (refused === null) onGreeting((report as { greeting: Greeting }).greeting);
      else {
        failure = refused;
        job.kill();
      }
      greeted = true;
    } else if ("progress" in report) onProgress(report.progress);
    else if ("preparing" in report) onPreparing?.(report.preparing);
    else if ("failure" in report) failure ??= new OperationFailure(report.failure.reason, report.failure.message);
    else if (!("greeting" in report)) {
      final = report;
      onClosing(report);
    }
  };
  const listening = (async () => {
    for await (const line of createInterface({ input: job.stderr, crlfDelay: Number.POSITIVE_INFINITY })) {
      const report = parseReport(line);
      if (report === null) stray = `${stray}${line}\n`.slice(-MAX_STRAY);
      else take(report);
    }
  })();
  // Awaited below; until then a connection that breaks must not end the process.
  listening.catch(() => {});
  const exit = await (job.ended ?? job.exited);
  await listening.catch(() => {});
  job.release();
  if (failure !== null) throw failure;
  if (exit.code === 0 && final !== null) return final;
  const how = exit.code === null ? "was ended from outside" : `ended with code ${exit.code}`;
  throw new OperationFailure("ActionFailed", `the job ${how} before it was done${detail(stray)}`);
}

/** Programs of before say something else first: whatever that is, it must not be taken for what it would mean today. */
function otherVersion(first: JobReport, image: string | null): OperationFailure | null {
  const spoken = "greeting" in first ? first.greeting.protocol : 1;
  if (spoken === PROTOCOL_VERSION) return null;
  const versions = { spoken, expected: PROTOCOL_VERSION };
  return image === null
    ? failureOf("ActionFailed", "job_files_version", versions)
    : failureOf("ActionFailed", "job_image_version", { image, ...versions });
}

function detail(stray: string): string {
  return stray.trim() === "" ? "" : `: ${stray.trim()}`;
}

function parseReport(line: string): JobReport | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as JobReport;
  } catch {
    return null;
  }
}

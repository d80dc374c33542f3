import { createInterface } from "node:readline";
import type { JobProgress, JobReport } from "#job-program/protocol.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { RunningJob } from "./job-launcher.ts";

type FinalReport = Exclude<JobReport, { progress: JobProgress } | { failure: object }>;

/** Lines of a job are its own, but a container's stderr may also carry a runtime's words: they are kept for the message. */
const MAX_STRAY = 2000;

/**
 * Listens to one job until it is gone and says how it ended. Success needs both: the closing report and exit code 0. A
 * job that was killed gives neither, however cleanly its streams were closed.
 */
export async function outcomeOf(job: RunningJob, onProgress: (progress: JobProgress) => void): Promise<FinalReport> {
  let final: FinalReport | null = null;
  let failure: OperationFailure | null = null;
  let stray = "";
  const listening = (async () => {
    for await (const line of createInterface({ input: job.stderr, crlfDelay: Number.POSITIVE_INFINITY })) {
      const report = parseReport(line);
      if (report === null) stray = `${stray}${line}\n`.slice(-MAX_STRAY);
      else if ("progress" in report) onProgress(report.progress);
      else if ("failure" in report) failure = new OperationFailure(report.failure.reason, report.failure.message);
      else final = report;
    }
  })();
  // Awaited below; until then a connection that breaks must not end the process.
  listening.catch(() => {});
  const exit = await job.exited;
  await listening.catch(() => {});
  if (failure !== null) throw failure;
  if (exit.code === 0 && final !== null) return final;
  const how = exit.code === null ? "was ended from outside" : `ended with code ${exit.code}`;
  throw new OperationFailure("ActionFailed", `the storage job ${how} before it was done${detail(stray)}`);
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

import type { PrepareProgress } from "../prepare-protocol.ts";
import { JobFailure, type JobReport, PROTOCOL_VERSION, parsePrepareArguments } from "../protocol.ts";
import { failureReport, report, requireSameProtocol } from "../report.ts";
import { check } from "./check.ts";
import { prepare } from "./prepare.ts";

/** The entry of the program that gets a repository into a home or asks a host; `prepare-protocol.ts` describes what it takes and says. */
const PER_SECOND = 10;

/** Never more often than this; a new step is told at once. */
function sparingly(tell: (progress: PrepareProgress) => void): (progress: PrepareProgress) => void {
  let step: PrepareProgress["step"] | null = null;
  let at = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const now = performance.now();
    if (progress.step === step && now - at < 1_000 / PER_SECOND) return;
    step = progress.step;
    at = now;
    tell(progress);
  };
}

async function run(signal: AbortSignal): Promise<JobReport> {
  const request = parsePrepareArguments(process.argv.slice(2));
  const { HOME: home, CODEHUB_FILES: files = null } = process.env;
  if (home === undefined || home === "") throw new JobFailure("ActionFailed", "HOME is not set");
  if (request.kind === "check") return { checked: await check(request, { home, files, signal }) };
  const onProgress = sparingly((progress) => report({ preparing: progress }));
  return { prepared: await prepare(request, { home, files, onProgress, signal }) };
}

const ending = new AbortController();
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(name, () => ending.abort(new JobFailure("ActionFailed", `the job was ended by ${name}`)));
}

try {
  report({ greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } });
  requireSameProtocol();
  report(await run(ending.signal));
  process.exitCode = 0;
} catch (error) {
  report(failureReport(error));
  process.exit(1);
}

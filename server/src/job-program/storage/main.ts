import { type ArchiveEnd, openWay } from "../bytes.ts";
import {
  JobFailure,
  type JobReport,
  type JobRequest,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  parseArguments,
  SOCKET_VARIABLE,
  VOLUME_VARIABLE,
} from "../protocol.ts";
import { report } from "../report.ts";
import { readIdentity, seal } from "./identity.ts";
import { pack, packEmpty } from "./pack.ts";
import { inspect, unpack } from "./unpack.ts";

/** The job program's entry; `protocol.ts` describes what it takes and what it says. */
async function run(request: JobRequest, archive: ArchiveEnd): Promise<JobReport> {
  switch (request.kind) {
    case "pack":
      return { packed: await pack(volumePath(), request.workspaceId, archive) };
    case "pack-empty":
      return { packed: await packEmpty(archive) };
    case "inspect":
      return { inspected: await inspect(request.limits, request.object, archive) };
    case "unpack":
      return { unpacked: await unpack(volumePath(), request, archive) };
    case "seal":
      await seal(volumePath(), request.identity);
      return { sealed: true };
    case "identity":
      return { identity: await readIdentity(volumePath()) };
  }
}

/** The server refuses a program that speaks otherwise, too: whichever of the two is newer knows what changed. */
function requireSameProtocol(): void {
  const stated = process.env[PROTOCOL_VARIABLE];
  if (stated === undefined || stated === String(PROTOCOL_VERSION)) return;
  throw new JobFailure("ActionFailed", `the server speaks protocol ${stated}, this program ${PROTOCOL_VERSION}`);
}

function volumePath(): string {
  const path = process.env[VOLUME_VARIABLE];
  if (path === undefined || path === "") throw new JobFailure("ActionFailed", `${VOLUME_VARIABLE} is not set`);
  return path;
}

function failureReport(error: unknown): JobReport {
  if (error instanceof JobFailure) return { failure: { reason: error.reason, message: error.message } };
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === "ENOSPC" || code === "EDQUOT" ? "DiskFull" : "ActionFailed";
  return { failure: { reason, message: String(message) } };
}

try {
  const { greeting, archive } = await openWay(process.env[SOCKET_VARIABLE]);
  report({ greeting });
  requireSameProtocol();
  report(await run(parseArguments(process.argv.slice(2)), archive));
  process.exitCode = 0;
} catch (error) {
  report(failureReport(error));
  // Whatever still runs is of no use now, and an open stdin would keep the process alive.
  process.exit(1);
}

import { type ArchiveEnd, type ArchiveWay, openWay } from "../bytes.ts";
import {
  JobFailure,
  type JobReport,
  type JobRequest,
  type ObjectFacts,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  parseArguments,
  VOLUME_VARIABLE,
} from "../protocol.ts";
import { report } from "../report.ts";
import { receiving, sending } from "./by-address.ts";
import { readIdentity, seal } from "./identity.ts";
import { pack, packEmpty } from "./pack.ts";
import { prepareScan } from "./scan-stream.ts";
import { inspect, unpack } from "./unpack.ts";

/** The job program's entry; `protocol.ts` describes what it takes and what it says. */
async function run(request: JobRequest, way: ArchiveWay): Promise<JobReport> {
  switch (request.kind) {
    case "pack":
      return await sending(way, (archive) => pack(volumePath(), request, archive));
    case "pack-empty":
      return await sending(way, packEmpty);
    case "inspect":
      return {
        inspected: await receiving(way, request.object, (archive, object) => inspect(request.limits, object, archive)),
      };
    case "unpack": {
      // Whole already: nothing is read for it.
      const identity = await readIdentity(volumePath());
      if (identity !== null) return { unpacked: { untouched: true, identity } };
      const work = (archive: ArchiveEnd, object: ObjectFacts | null) =>
        unpack(volumePath(), { ...request, object }, archive);
      return { unpacked: await receiving(way, request.object, work) };
    }
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

/** They read a whole archive or home. Their thread starts while they open what they need. */
const SCANNING: ReadonlySet<JobRequest["kind"]> = new Set(["pack", "inspect", "unpack"]);

try {
  const { greeting, way } = await openWay(process.env);
  report({ greeting });
  requireSameProtocol();
  const request = parseArguments(process.argv.slice(2));
  if (SCANNING.has(request.kind)) prepareScan();
  report(await run(request, way));
  process.exitCode = 0;
} catch (error) {
  report(failureReport(error));
  // Whatever still runs is of no use now, and an open stdin would keep the process alive.
  process.exit(1);
}

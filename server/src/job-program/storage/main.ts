import { type ArchiveEnd, type ArchiveWay, openWay } from "../bytes.ts";
import {
  JobFailure,
  type JobReport,
  type JobRequest,
  type ObjectFacts,
  parseArguments,
  VOLUME_VARIABLE,
} from "../protocol.ts";
import { failureReport, report, requireSameProtocol } from "../report.ts";
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

function volumePath(): string {
  const path = process.env[VOLUME_VARIABLE];
  if (path === undefined || path === "") throw new JobFailure("ActionFailed", `${VOLUME_VARIABLE} is not set`);
  return path;
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

import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ArchiveEnd } from "../bytes.ts";
import { openPipe, openPipes, type Pipe } from "../pipes.ts";
import { FORMAT_VERSION, JobFailure, type JobIdentity, type JobRequest, type PackFacts } from "../protocol.ts";
import { ProgressReporter } from "../report.ts";
import { startCompressor, startTool, type Tool } from "../tools.ts";
import { readIdentity } from "./identity.ts";
import { type Modes, readsEverything, withLocksOpen } from "./locked.ts";
import { Manifest } from "./manifest.ts";
import { scanStream } from "./scan-stream.ts";
import { startTarCreate } from "./tar-tool.ts";

/** tar → the scan → zstd → the server. Nothing is reported as packed unless both programs say that they ended well. */
export async function pack(
  volume: string,
  request: JobRequest & { kind: "pack" },
  archive: ArchiveEnd,
): Promise<PackFacts> {
  requireMeant(await readIdentity(volume), request);
  return await withLocksOpen(volume, (modes) => packHome(volume, modes, archive));
}

async function packHome(volume: string, modes: Modes, archive: ArchiveEnd): Promise<PackFacts> {
  const home = join(volume, "home");
  const progress = new ProgressReporter("packing", null);
  const estimate = estimateBytes(home, (bytes) => progress.expect(bytes));
  const [raw, scanned] = openPipes(2) as [Pipe, Pipe];
  const tar = startTarCreate(home, raw.writeEnd, FORMAT_VERSION);
  const zstd = startCompressor(scanned.readEnd, archive);
  try {
    const options = { limits: null, describe: true, skipRoot: false, modes, forOwner: !readsEverything() };
    const from = { tool: tar, pipe: raw.readEnd };
    const stream = await scanStream(from, { tool: zstd, pipe: scanned.writeEnd }, options, progress);
    const [lines] = await Promise.all([tar.finished, zstd.finished]);
    const skippedSockets = lines.filter((line) => line.endsWith(": socket ignored")).length;
    return { ...stream.facts(), skippedSockets, formatVersion: FORMAT_VERSION };
  } catch (error) {
    // What would be refused when it is restored is refused now, while the home is still there to be put right.
    if (!(error instanceof JobFailure) || error.reason !== "ArchiveCorrupted") throw error;
    throw new JobFailure("ActionFailed", `the home cannot be archived: ${error.message}`, { cause: error });
  } finally {
    tar.kill();
    zstd.kill();
    estimate.kill();
  }
}

function requireMeant(found: JobIdentity | null, { workspaceId, identity }: JobRequest & { kind: "pack" }): void {
  if (found?.workspaceId !== workspaceId) {
    const whose = found === null ? "has no identity" : `belongs to workspace ${found.workspaceId}`;
    throw new JobFailure("ActionFailed", `the volume ${whose}: it is not archived`);
  }
  if (identity === undefined || isDeepStrictEqual(found, identity)) return;
  const [is, was] = [found, identity].map((one) => JSON.stringify(one));
  throw new JobFailure(
    "ActionFailed",
    `the volume is not the home it should be: its identity file says ${is}, recorded is ${was}: it is not archived`,
  );
}

/** An archive with nothing in it: restoring it leaves the new volume's home as it was made. */
export async function packEmpty(archive: ArchiveEnd): Promise<PackFacts> {
  const pipe = openPipe();
  const zstd = startCompressor(pipe.readEnd, archive);
  try {
    // Fits into an empty pipe, so nobody waits.
    writeSync(pipe.writeEnd, Buffer.alloc(END_OF_ARCHIVE));
  } catch {
    // A compressor that dies at once is told by `finished`.
  }
  closeSync(pipe.writeEnd);
  await zstd.finished;
  return { ...new Manifest().digest(), contentBytes: 0, skippedSockets: 0, formatVersion: FORMAT_VERSION };
}

/** Two blocks of zeros end an archive, filled up to tar's record of twenty blocks. */
const END_OF_ARCHIVE = 20 * 512;

/** How much there is to do, counted beside the work itself; without an answer there is no estimate. */
function estimateBytes(home: string, tell: (bytes: number) => void): Tool {
  const du = startTool("du", ["-s", "-B1", "-x", home], "ignore", "pipe");
  du.output?.setEncoding("latin1").on("data", (text: string) => {
    const bytes = Number.parseInt(text, 10);
    if (Number.isSafeInteger(bytes)) tell(bytes);
  });
  return du;
}

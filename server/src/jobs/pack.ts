import { join } from "node:path";
import { readIdentity } from "./identity.ts";
import { FORMAT_VERSION, JobFailure, type PackFacts } from "./protocol.ts";
import { pump } from "./pump.ts";
import { ProgressReporter } from "./report.ts";
import { TarScan } from "./tar-scan.ts";
import { startTarCreate } from "./tar-tool.ts";
import { startCompressor, startTool, type Tool } from "./tools.ts";

/** tar → the scan → zstd → stdout. Nothing is reported as packed unless both programs say that they ended well. */
export async function pack(volume: string, workspaceId: string): Promise<PackFacts> {
  const identity = await readIdentity(volume);
  if (identity?.workspaceId !== workspaceId) {
    const whose = identity === null ? "has no identity" : `belongs to workspace ${identity.workspaceId}`;
    throw new JobFailure("ActionFailed", `the volume ${whose}: it is not archived`);
  }
  const home = join(volume, "home");
  const progress = new ProgressReporter("packing", null);
  const estimate = estimateBytes(home, (bytes) => progress.expect(bytes));
  const tar = startTarCreate(home);
  const zstd = startCompressor();
  try {
    const scan = new TarScan({ limits: null, hashContent: true, skipRoot: false });
    await runScan(tar, zstd, scan, progress);
    const [lines] = await Promise.all([tar.finished, zstd.finished]);
    const skippedSockets = lines.filter((line) => line.endsWith(": socket ignored")).length;
    return { ...scan.end(), skippedSockets, formatVersion: FORMAT_VERSION };
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

/** An archive with nothing in it: restoring it leaves the new volume's home as it was made. */
export async function packEmpty(): Promise<PackFacts> {
  const zstd = startCompressor();
  const scan = new TarScan({ limits: null, hashContent: true, skipRoot: false });
  const blocks = Buffer.alloc(END_OF_ARCHIVE);
  scan.write(blocks);
  // A compressor that dies at once is told by `finished`.
  zstd.input?.on("error", () => {});
  zstd.input?.end(blocks);
  await zstd.finished;
  return { ...scan.end(), skippedSockets: 0, formatVersion: FORMAT_VERSION };
}

/** Two blocks of zeros end an archive, filled up to tar's record of twenty blocks. */
const END_OF_ARCHIVE = 20 * 512;

/** Pumps a tar stream past the scan. When the reader ended early, its own failure is the one to tell. */
export async function runScan(from: Tool, to: Tool | null, scan: TarScan, progress: ProgressReporter): Promise<void> {
  if (from.output === null) throw new Error("the tool has no output to scan");
  const look = (chunk: Buffer): void => {
    scan.write(chunk);
    progress.seen(scan.contentBytes, scan.entries);
  };
  await pump(from.output, to?.input ?? null, look, async () => to?.finished);
}

/** How much there is to do, counted beside the work itself; without an answer there is no estimate. */
function estimateBytes(home: string, tell: (bytes: number) => void): Tool {
  const du = startTool("du", ["-s", "-B1", "-x", home], "ignore", "pipe");
  du.output?.setEncoding("latin1").on("data", (text: string) => {
    const bytes = Number.parseInt(text, 10);
    if (Number.isSafeInteger(bytes)) tell(bytes);
  });
  return du;
}

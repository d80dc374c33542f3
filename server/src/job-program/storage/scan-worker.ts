import { readSync, writeSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { JobFailure } from "../protocol.ts";
import { failureOf, type ScanOutcome, type ScanWork } from "./scan-stream.ts";
import { BLOCK } from "./tar-header.ts";
import { TarScan } from "./tar-scan.ts";

/** As much as a pipe holds. */
const CHUNK_BYTES = 64 * 1024;

/** Plain reads and writes that wait, into one buffer: two copies for each byte, and nothing for the collector. */
function scanAll({ from, to, options, counts }: ScanWork): ScanOutcome {
  const scan = new TarScan(options);
  const seen = new Float64Array(counts);
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let reader = to;
  for (let size = readBlocks(from, buffer); size > 0; size = readBlocks(from, buffer)) {
    const chunk = buffer.subarray(0, size);
    scan.write(chunk);
    seen[0] = scan.contentBytes;
    seen[1] = scan.entries;
    if (reader !== null && !writeAll(reader, chunk)) reader = null;
  }
  const { hadRoot, opened } = scan;
  try {
    return { hadRoot, opened, ...scan.end() };
  } catch (error) {
    return { hadRoot, opened, cut: failureOf(error) };
  }
}

/** As much as there is, in whole blocks unless it is the end. */
function readBlocks(from: number, buffer: Buffer): number {
  let filled = 0;
  do {
    const size = readSync(from, buffer, filled, buffer.length - filled, null);
    if (size === 0) break;
    filled += size;
  } while (filled % BLOCK !== 0);
  return filled;
}

/** False when nobody reads any more: then the rest is only looked at, and the reader's own end says whether it was well. */
function writeAll(to: number, chunk: Buffer): boolean {
  try {
    for (let at = 0; at < chunk.length; ) at += writeSync(to, chunk, at);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return false;
    throw error;
  }
}

function outcomeOf(work: ScanWork): ScanOutcome {
  try {
    return scanAll(work);
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    return { failure: failureOf(error) };
  }
}

parentPort?.on("message", (work: ScanWork) => parentPort?.postMessage(outcomeOf(work)));

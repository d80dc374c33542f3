import { chmodSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveEnd } from "../bytes.ts";
import { openPipe, openPipes, type Pipe } from "../pipes.ts";
import {
  JobFailure,
  type JobIdentity,
  type JobRequest,
  type ObjectFacts,
  type StreamLimits,
  type TreeFacts,
} from "../protocol.ts";
import { ProgressReporter } from "../report.ts";
import { startDecompressor, startTool } from "../tools.ts";
import { readIdentity, writeIdentity } from "./identity.ts";
import { checkInput } from "./input.ts";
import { forgetLocks, type Modes, readsEverything, withLocksOpen } from "./locked.ts";
import { scanStream } from "./scan-stream.ts";
import { startTarCreate, startTarExtract } from "./tar-tool.ts";

/** The server → zstd → the scan, and nothing written: what is in this archive, and is it the recorded one? */
export async function inspect(
  limits: StreamLimits,
  object: ObjectFacts | null,
  archive: ArchiveEnd,
): Promise<TreeFacts> {
  const raw = openPipe();
  const zstd = startDecompressor(archive, raw.writeEnd, object);
  try {
    const options = { limits, describe: true, skipRoot: false };
    const progress = new ProgressReporter("checking", limits.contentBytes);
    const [stream] = await Promise.all([
      scanStream({ tool: zstd, pipe: raw.readEnd }, null, options, progress),
      checkInput(object),
    ]);
    await zstd.finished;
    return stream.facts();
  } finally {
    zstd.kill();
  }
}

export interface Unpacked {
  readonly untouched: boolean;
  readonly identity: JobIdentity;
  readonly given?: number;
}

/**
 * The server → zstd → the scan → tar → volume; then the volume is read again and compared with the manifest, put on the disk
 * for good, and only then named by its identity file. A volume that has one is whole, and is left as it is. Of an object
 * that comes as a file the checksum is taken beside the comparison.
 */
export async function unpack(
  volume: string,
  request: JobRequest & { kind: "unpack" },
  archive: ArchiveEnd,
): Promise<Unpacked> {
  const { expected, formatVersion, identity, object } = request;
  const found = await readIdentity(volume);
  if (found !== null) return { untouched: true, identity: found };
  const home = join(volume, "home");
  await checkSpace(volume, expected);
  await forgetLocks(volume);
  await empty(home);
  if (formatVersion > 1) await dropInheritedLists(home);
  const { hadRoot, given } = await extract(home, request, archive);
  // Writing to the disk and reading from memory do not wait for each other, and comparing leaves cores free.
  const comparing = withLocksOpen(volume, async (modes) => ({
    facts: await compareTree(home, expected, formatVersion, { skipRoot: !hadRoot, modes }),
    hadLocks: modes.size > 0,
  }));
  const [{ facts, hadLocks }] = await Promise.all([comparing, syncFileSystem(volume), checkInput(object)]);
  if (hadLocks) await syncFileSystem(volume);
  requireSame("the restored volume", facts, given ?? expected);
  await writeIdentity(volume, identity);
  return { untouched: false, identity, given: given?.entryCount ?? 0 };
}

function requireSame(what: string, found: TreeFacts, expected: TreeFacts): void {
  if (found.manifestDigest === expected.manifestDigest) return;
  throw new JobFailure(
    "ActionFailed",
    `${what} is not what was archived: ${found.entryCount} entries with digest ${found.manifestDigest}, ` +
      `expected ${expected.entryCount} with ${expected.manifestDigest}`,
  );
}

interface Extracted {
  readonly hadRoot: boolean;
  /** What was unpacked, where it was given to another account than the archive's. */
  readonly given: TreeFacts | null;
}

async function extract(
  home: string,
  request: JobRequest & { kind: "unpack" },
  archive: ArchiveEnd,
): Promise<Extracted> {
  const { expected: limits, formatVersion, object, owner } = request;
  const [raw, scanned] = openPipes(2) as [Pipe, Pipe];
  const zstd = startDecompressor(archive, raw.writeEnd, object);
  const tar = startTarExtract(home, scanned.readEnd, formatVersion);
  try {
    const giving = owner === undefined ? {} : { owner };
    const options = { limits, describe: false, skipRoot: false, openFiles: !readsEverything(), ...giving };
    const progress = new ProgressReporter("unpacking", limits.contentBytes);
    const to = { tool: tar, pipe: scanned.writeEnd };
    const stream = await scanStream({ tool: zstd, pipe: raw.readEnd }, to, options, progress);
    // In this order: a stream that was cut makes tar complain too, but the cut is what has to be told.
    await zstd.finished;
    stream.requireWhole();
    await tar.finished;
    // What is in a folder before the folder.
    for (const [path, mode] of stream.opened.toReversed()) chmodSync(Buffer.from(`${home}/${path}`, "latin1"), mode);
    const given = stream.given();
    // Of a home that keeps its account the volume itself is compared with what was recorded.
    if (given !== null) requireSame("the archive", stream.facts(), limits);
    return { hadRoot: stream.hadRoot, given };
  } finally {
    zstd.kill();
    tar.kill();
  }
}

/** The manifest of what lies in the volume, made the same way as that of the original. */
async function compareTree(
  home: string,
  expected: TreeFacts,
  formatVersion: number,
  { skipRoot, modes }: { readonly skipRoot: boolean; readonly modes: Modes },
): Promise<TreeFacts> {
  const raw = openPipe();
  const tar = startTarCreate(home, raw.writeEnd, formatVersion);
  try {
    const options = { limits: null, describe: true, skipRoot, modes };
    const progress = new ProgressReporter("comparing", expected.contentBytes);
    const stream = await scanStream({ tool: tar, pipe: raw.readEnd }, null, options, progress);
    await tar.finished;
    return stream.facts();
  } finally {
    tar.kill();
  }
}

/** The identity must never reach the disk before the home does. */
async function syncFileSystem(volume: string): Promise<void> {
  await startTool("sync", ["-f", volume], "ignore", "ignore").finished;
}

/** What an interrupted attempt left is taken away, so that the result never depends on it. Paths may be very long. */
async function empty(home: string): Promise<void> {
  // A folder is opened before it is looked into; to whoever may do everything it is all the same.
  const locked = ["-type", "d", "!", "-perm", "-u+rwx", "-exec", "chmod", "u+rwx", "{}", ";"];
  await startTool("find", [home, ...locked], "ignore", "ignore").finished;
  await startTool("find", [home, "-mindepth", "1", "-delete"], "ignore", "ignore").finished;
}

/**
 * A default access control list above the home would be handed down to everything in it. Of a folder that is packed
 * without lists and unpacked over itself with them nothing but its lists changes: they go.
 */
async function dropInheritedLists(home: string): Promise<void> {
  const { readEnd, writeEnd } = openPipe();
  const folder = ["--format=posix", "--numeric-owner", `--directory=${home}`, "--file=-"];
  const packing = startTool("tar", ["--create", ...folder, "."], "ignore", writeEnd);
  const unpacking = startTool("tar", ["--extract", "--acls", "--preserve-permissions", ...folder], readEnd, "ignore");
  await Promise.all([packing.finished, unpacking.finished]);
}

/** A tenth more than the content, and a page for each entry. */
async function checkSpace(volume: string, expected: TreeFacts): Promise<void> {
  const { bavail, bsize, ffree, files } = await statfs(volume);
  const needed = Math.ceil(expected.contentBytes * 1.1) + expected.entryCount * 4096;
  const free = bavail * bsize;
  if (free < needed) {
    throw new JobFailure("DiskFull", `the home needs ${needed} bytes and the volume's disk has ${free} free`);
  }
  // Some file systems have no fixed number of inodes and say zero.
  if (files > 0 && ffree < expected.entryCount) {
    throw new JobFailure("DiskFull", `the home has ${expected.entryCount} files and the disk has room for ${ffree}`);
  }
}

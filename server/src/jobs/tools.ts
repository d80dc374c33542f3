import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { JobFailure } from "./protocol.ts";

/**
 * A program in a pipeline. In a shell's pipe a producer that is killed looks like one that has finished; here nothing
 * counts until `finished` says that this program itself ended well.
 */
export interface Tool {
  readonly input: Writable | null;
  readonly output: Readable | null;
  /** Resolves to the lines of stderr that are no errors; rejects when the program did not end with success. */
  readonly finished: Promise<string[]>;
  kill(): void;
}

type Stdio = "pipe" | "inherit" | "ignore";

/** Messages are matched, so they must be in one language; names are escaped, so each message is one line. */
const ENVIRONMENT: NodeJS.ProcessEnv = { ...process.env, LC_ALL: "C" };
for (const name of ["TAR_OPTIONS", "ZSTD_CLEVEL", "ZSTD_NBTHREADS"]) delete ENVIRONMENT[name];

/** What tar says although nothing that can be kept is missing. Every other word of a program is taken as an error. */
const HARMLESS = /: socket ignored$/;

export function startTool(program: string, args: readonly string[], stdin: Stdio, stdout: Stdio): Tool {
  const child: ChildProcess = spawn(program, args, { stdio: [stdin, stdout, "pipe"], env: ENVIRONMENT });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (complaint.length < MAX_COMPLAINT) complaint += text;
  });
  const finished = new Promise<string[]>((resolve, reject) => {
    child.on("error", (error) => {
      reject(new JobFailure("ActionFailed", `${program} could not be started: ${error.message}`, { cause: error }));
    });
    child.on("close", (code, signal) => {
      const lines = complaint.split("\n").filter((line) => line !== "");
      const errors = lines.filter((line) => !HARMLESS.test(line));
      if (code === 0 && errors.length === 0) resolve(lines);
      else reject(failureOf(program, code, signal, errors));
    });
  });
  // The caller awaits it at the end of the pipeline; until then a rejection must not end the process.
  finished.catch(() => {});
  return { input: child.stdin, output: child.stdout, finished, kill: () => child.kill("SIGKILL") };
}

/** Enough for the first errors and, at about 60 bytes a line, for the names of many thousand sockets. */
const MAX_COMPLAINT = 4 * 2 ** 20;

function failureOf(program: string, code: number | null, signal: string | null, errors: string[]): JobFailure {
  const how = signal !== null ? `was ended by ${signal}` : `ended with code ${code}`;
  const text = errors.slice(0, 3).join("; ").slice(0, 1000);
  const full = errors.find((line) => /No space left on device|Disk quota exceeded/.test(line));
  if (full !== undefined) return new JobFailure("DiskFull", `the disk is full: ${full.slice(0, 500)}`);
  return new ToolFailure(`${program} ${how}${text === "" ? "" : `: ${text}`}`, signal !== null);
}

class ToolFailure extends JobFailure {
  readonly killed: boolean;

  constructor(message: string, killed: boolean) {
    super("ActionFailed", message);
    this.killed = killed;
  }
}

/** A third less work than the usual 3 for one part in twenty-five more bytes: reading the archive back is paid from it. */
const LEVEL = 1;

function hasZstd(): boolean {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.some((folder) => existsSync(join(folder, "zstd")));
}

/** Compresses to this process's own stdout, so that the bytes need not come by here again. */
export function startCompressor(): Tool {
  if (hasZstd()) {
    // zstd's own "all cores" counts physical ones; the pipeline's other ends use little, so every thread serves.
    const threads = Math.min(4, availableParallelism());
    return startTool("zstd", ["-q", `-${LEVEL}`, `-T${threads}`, "-c"], "pipe", "inherit");
  }
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
  const compressor = createZstdCompress({ params });
  compressor.pipe(process.stdout, { end: false });
  return inProcess(compressor, null, compressor);
}

/** Decompresses this process's own stdin. */
export function startDecompressor(): Tool {
  if (hasZstd()) {
    const tool = startTool("zstd", ["-q", "-d", "-c"], "inherit", "pipe");
    return { ...tool, finished: corruptIfFailed(tool.finished) };
  }
  const decompressor = createZstdDecompress();
  process.stdin.on("error", (error) => decompressor.destroy(error));
  process.stdin.pipe(decompressor);
  const tool = inProcess(null, decompressor, decompressor);
  return { ...tool, finished: corruptIfFailed(tool.finished) };
}

/** What does not decompress is not the archive that was written; a program that was killed says nothing about it. */
function corruptIfFailed(finished: Promise<string[]>): Promise<string[]> {
  const mapped = finished.catch((error: Error) => {
    if (error instanceof ToolFailure && error.killed) throw error;
    throw new JobFailure("ArchiveCorrupted", `the archive cannot be decompressed: ${error.message}`, { cause: error });
  });
  mapped.catch(() => {});
  return mapped;
}

function inProcess(input: Writable | null, output: Readable | null, stream: Readable): Tool {
  const finished = new Promise<string[]>((resolve, reject) => {
    stream.on("error", reject);
    stream.on("end", () => resolve([]));
  });
  finished.catch(() => {});
  return { input, output, finished, kill: () => stream.destroy() };
}

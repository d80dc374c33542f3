import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ArchiveEnd } from "./bytes.ts";
import { JobFailure, type ObjectFacts } from "./protocol.ts";
import { checkInput } from "./storage/input.ts";

/**
 * A program in a pipeline. In a shell's pipe a producer that is killed looks like one that has finished; here nothing
 * counts until `finished` says that this program itself ended well.
 */
export interface Tool {
  readonly output: Readable | null;
  /** Resolves to the lines of stderr that are no errors; rejects when the program did not end with success. */
  readonly finished: Promise<string[]>;
  readonly kill: () => void;
}

/** A number is one end of a pipe; it is the program's from then on, and closed here. */
type Stdio = "pipe" | "ignore" | number | ArchiveEnd;

/** Messages are matched, so they must be in one language; names are escaped, so each message is one line. */
const ENVIRONMENT: NodeJS.ProcessEnv = { ...process.env, LC_ALL: "C" };
for (const name of ["TAR_OPTIONS", "ZSTD_CLEVEL", "ZSTD_NBTHREADS"]) delete ENVIRONMENT[name];

/** What tar says although nothing that can be kept is missing. Every other word of a program is taken as an error. */
const HARMLESS = /: socket ignored$/;

export function startTool(program: string, args: readonly string[], input: Stdio, output: Stdio): Tool {
  const [stdin, stdout] = [input, output].map((end) => (typeof end === "function" ? end() : end));
  const child: ChildProcess = spawn(program, args, { stdio: [stdin, stdout, "pipe"], env: ENVIRONMENT });
  for (const end of [stdin, stdout]) if (typeof end === "number") closeSync(end);
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
  return { output: child.stdout, finished, kill: () => child.kill("SIGKILL") };
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
/** What one thread compresses at a time. With the usual 2 MiB the threads wait for each other a sixth of the time. */
const JOB_SIZE = "-B8M";

function hasZstd(): boolean {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.some((folder) => existsSync(join(folder, "zstd")));
}

const NODE_ZSTD = fileURLToPath(new URL("./zstd-program.ts", import.meta.url));

function startZstd(options: readonly string[], fallback: string, stdin: Stdio, stdout: Stdio): Tool {
  return hasZstd()
    ? startTool("zstd", ["-q", "-c", ...options], stdin, stdout)
    : startTool(process.execPath, [...process.execArgv, NODE_ZSTD, fallback], stdin, stdout);
}

/** Compresses to where the archive goes, so that the bytes need not come by here again. */
export function startCompressor(stdin: number, archive: ArchiveEnd): Tool {
  // zstd's own "all cores" counts physical ones. One more than there are: while one thread waits for input, another works.
  const threads = Math.min(4, availableParallelism() + 1);
  return startZstd([`-${LEVEL}`, `-T${threads}`, JOB_SIZE], `-${LEVEL}`, stdin, archive);
}

/** Decompresses what the archive comes from: an object given as a file, or bytes that somebody feeds. */
export function startDecompressor(archive: ArchiveEnd, stdout: number, object: ObjectFacts | null): Tool {
  const tool = startZstd(["-d"], "-d", archive, stdout);
  return { ...tool, finished: corruptIfFailed(tool.finished, object) };
}

/** What does not decompress is not the archive that was written; a program that was killed says nothing about it. */
function corruptIfFailed(finished: Promise<string[]>, object: ObjectFacts | null): Promise<string[]> {
  const mapped = finished.catch(async (error: Error) => {
    if (error instanceof ToolFailure && error.killed) throw error;
    // A disk that gave no answer looks the same to zstd. Nobody may be told that an archive is lost which is as recorded.
    if (object !== null) {
      await checkInput(object);
      throw error;
    }
    throw new JobFailure("ArchiveCorrupted", `the archive cannot be decompressed: ${error.message}`, { cause: error });
  });
  mapped.catch(() => {});
  return mapped;
}

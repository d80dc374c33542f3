import { spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobFailure } from "./protocol.ts";

/** Descriptors of both ends. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * A pipe as a shell makes one, and wider. Node gives its children sockets instead, which cannot be waited for in a plain
 * read and cost half as much again. Node cannot make pipes, so a named one is opened at both ends and its name is taken
 * away.
 */
export function openPipe(): Pipe {
  return openPipes(1)[0] as Pipe;
}

/** As many as a job needs at once: each program that makes them is started once for all. */
export function openPipes(count: number): Pipe[] {
  const folder = mkdtempSync(join(tmpdir(), "codehub-job-"));
  try {
    const paths = Array.from({ length: count }, (_, index) => join(folder, `pipe-${index}`));
    const { status, stderr, error } = spawnSync("mkfifo", ["-m", "600", ...paths], { encoding: "utf8" });
    if (status !== 0) {
      throw new JobFailure("ActionFailed", `mkfifo failed: ${error?.message ?? stderr.trim()}`);
    }
    // Opened for both at first: opening one end alone would wait for the other.
    const both = paths.map((path) => openSync(path, constants.O_RDWR));
    try {
      widen(both);
      return paths.map((path) => ({
        readEnd: openSync(path, constants.O_RDONLY),
        writeEnd: openSync(path, constants.O_WRONLY),
      }));
    } finally {
      for (const end of both) closeSync(end);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `F_SETPIPE_SZ` with what Linux lets everybody have; perl is what every Debian has that can say it. */
const WIDEN = 'open(F, "+<&=$_") && fcntl(F, 1031, 1048576) for @ARGV';
const FIRST_FREE = 3;

/**
 * With the usual 64 KiB both sides are woken for each of tar's records, which costs a pipeline a quarter of its time.
 * Where there is no perl it is only slower.
 */
function widen(pipes: readonly number[]): void {
  const numbers = pipes.map((_, index) => String(FIRST_FREE + index));
  spawnSync("perl", ["-e", WIDEN, ...numbers], { stdio: ["ignore", "ignore", "ignore", ...pipes] });
}

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
  const folder = mkdtempSync(join(tmpdir(), "codehub-job-"));
  try {
    const path = join(folder, "pipe");
    const { status, stderr, error } = spawnSync("mkfifo", ["-m", "600", path], { encoding: "utf8" });
    if (status !== 0) {
      throw new JobFailure("ActionFailed", `mkfifo failed: ${error?.message ?? stderr.trim()}`);
    }
    // Opened for both at first: opening one end alone would wait for the other.
    const both = openSync(path, constants.O_RDWR);
    try {
      widen(both);
      return { readEnd: openSync(path, constants.O_RDONLY), writeEnd: openSync(path, constants.O_WRONLY) };
    } finally {
      closeSync(both);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `F_SETPIPE_SZ` with what Linux lets everybody have; perl is what every Debian has that can say it. */
const WIDEN = "fcntl(STDIN, 1031, 1048576)";

/**
 * With the usual 64 KiB both sides are woken for each of tar's records, which costs a pipeline a quarter of its time.
 * Where there is no perl it is only slower.
 */
function widen(pipe: number): void {
  spawnSync("perl", ["-e", WIDEN], { stdio: [pipe, "ignore", "ignore"] });
}

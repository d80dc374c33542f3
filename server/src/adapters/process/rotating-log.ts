import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";

/**
 * Output of a workspace, kept to two files of half the limit each. Writing is synchronous on purpose: a program that
 * prints faster than the disk takes it is then slowed down by its own pipe, and no memory fills.
 */
export class RotatingLog {
  readonly #path: string;
  readonly #fileLimit: number;
  #fd: number;
  #size: number;

  constructor(path: string, limitBytes: number) {
    this.#path = path;
    this.#fileLimit = Math.floor(limitBytes / 2);
    this.#fd = openSync(path, "a", 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  write(chunk: Buffer): void {
    if (this.#size + chunk.length > this.#fileLimit) this.#rotate();
    // A chunk is at most what a pipe holds; should one be larger than a file may be, its end is what matters.
    this.#size += writeSync(this.#fd, chunk.subarray(Math.max(0, chunk.length - this.#fileLimit)));
  }

  #rotate(): void {
    closeSync(this.#fd);
    renameSync(this.#path, `${this.#path}.1`);
    this.#fd = openSync(this.#path, "a", 0o600);
    this.#size = 0;
  }
}

/** The last lines across both files, reading no more than `maxBytes` of either. */
export async function lastLines(path: string, lines: number, maxBytes: number): Promise<string> {
  const text = (await readTail(`${path}.1`, maxBytes)) + (await readTail(path, maxBytes));
  return text
    .split("\n")
    .slice(-lines - (text.endsWith("\n") ? 1 : 0))
    .join("\n");
}

async function readTail(path: string, maxBytes: number): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

import { createHash } from "node:crypto";
import { type FileHandle, link, mkdir, open, rename, rmdir, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** A rename or a new name is on the disk only when its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Makes the folder and those above it up to `root`, each one durable in its parent. */
export async function makeFolder(path: string, root: string): Promise<void> {
  if (path === root) return;
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    if (codeOf(error) !== "ENOENT") throw error;
    await makeFolder(dirname(path), root);
    return makeFolder(path, root);
  }
  await syncFolder(dirname(path));
}

export class AlreadyThere extends Error {
  override readonly name = "AlreadyThere";
}

/** Gives a finished file its final name, never taking one that exists. */
export async function publish(draft: string, path: string): Promise<void> {
  try {
    // A second name and then removing the first: unlike a rename this cannot replace a file.
    await link(draft, path);
    await unlink(draft);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new AlreadyThere(`${path} exists already and is not overwritten`);
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error) ?? "")) throw error;
    await publishWithoutLinks(draft, path);
  }
  await syncFolder(dirname(path));
}

/** Some network file systems have no hard links. Attempts have their own keys, so the check races with nobody. */
async function publishWithoutLinks(draft: string, path: string): Promise<void> {
  const taken = await stat(path).then(
    () => true,
    () => false,
  );
  if (taken) throw new AlreadyThere(`${path} exists already and is not overwritten`);
  await rename(draft, path);
}

const WRITE_BYTES = 2 ** 18;
/** So much may wait for the disk before it is told to begin: what is on the disk at the end need not be waited for then. */
const SYNC_BYTES = 2 ** 24;

export async function writeBody(
  draft: string,
  body: Readable,
  signal: AbortSignal,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  signal.throwIfAborted();
  const stop = () => body.destroy(new Error("the upload was aborted"));
  signal.addEventListener("abort", stop, { once: true });
  const file = await open(draft, "wx", 0o600);
  try {
    // One buffer is written while the other is filled: small writes one by one would wait for each other, and memory that
    // is used again needs no collecting.
    let filling = Buffer.allocUnsafeSlow(WRITE_BYTES);
    let spare = Buffer.allocUnsafeSlow(WRITE_BYTES);
    let filled = 0;
    let writing: Promise<void> = Promise.resolve();
    const syncing = new RollingSync(file);
    const flush = async (): Promise<void> => {
      await writing;
      syncing.wrote(filled);
      writing = file.appendFile(filling.subarray(0, filled));
      // Awaited at the next flush; until then a failure must not end the process.
      writing.catch(() => {});
      [filling, spare] = [spare, filling];
      filled = 0;
    };
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(filling, filled, at);
        at += copied;
        filled += copied;
        if (filled === WRITE_BYTES) await flush();
      }
    }
    await flush();
    await writing;
    signal.throwIfAborted();
    await syncing.end();
    return { sizeBytes, sha256: hash.digest("hex") };
  } finally {
    signal.removeEventListener("abort", stop);
    await file.close();
  }
}

/**
 * Has the disk write while there is more to come, one request at a time. A disk says only once that it lost something, so
 * every answer counts.
 */
class RollingSync {
  readonly #file: FileHandle;
  #waiting = 0;
  #busy = false;
  #all: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  wrote(bytes: number): void {
    this.#waiting += bytes;
    if (this.#busy || this.#waiting < SYNC_BYTES) return;
    this.#waiting = 0;
    this.#busy = true;
    this.#all = Promise.all([this.#all, this.#file.datasync()]).then(() => {
      this.#busy = false;
    });
    // Told at the end.
    this.#all.catch(() => {});
  }

  async end(): Promise<void> {
    await this.#all;
    await this.#file.sync();
  }
}

export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error) ?? "")) throw error;
  }
}

/** Null for what is positively not there; every other failure stays one. */
export async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null;
    throw error;
  }
}

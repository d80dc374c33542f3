import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { metaKey, parseArchiveKey } from "#core/rows/names.ts";
import { assertOurs, decodeBinding, decodeMarker, encodeBinding, encodeMarker } from "#jobs/archive-marker.ts";
import type { ArchiveHead, ArchiveMeta, ArchiveStore, ObjectSeen, OpenFile } from "#ports/archives.ts";
import { OperationFailure } from "#ports/failure.ts";
import {
  AlreadyThere,
  codeOf,
  makeFolder,
  orNull,
  publish,
  removeIfEmpty,
  syncFolder,
  writeBody,
  writeDurably,
} from "./durable.ts";

/** Everything that is not an archive lies here: the binding, the generation, uploads that are not finished. */
const OWN = ".codehub";

export interface FilesystemStoreOptions {
  readonly directory: string;
  readonly deploymentId: string;
  /** The identity recorded at first start: of any other store no absence is believed, and ours may come back later. */
  readonly storeId?: string | null;
}

/** Opens the directory, making and binding it at first start; refuses one that belongs to another deployment. */
export async function openFilesystemStore(options: FilesystemStoreOptions): Promise<ArchiveStore> {
  const root = resolve(options.directory);
  await mkdir(join(root, OWN, "uploads"), { recursive: true, mode: 0o700 });
  const path = join(root, OWN, "store.json");
  const fresh = encodeBinding({ storeId: randomUUID(), deploymentId: options.deploymentId });
  const draft = join(root, OWN, "uploads", `${randomUUID()}.part`);
  await writeDurably(draft, fresh);
  await publish(draft, path).catch(async (error: unknown) => {
    if (!(error instanceof AlreadyThere)) throw error;
    await unlink(draft);
  });
  await syncFolder(root);
  const binding = decodeBinding(await readFile(path, "utf8"), path);
  assertOurs(binding, options.deploymentId, root);
  return new FilesystemStore(root, options.storeId ?? binding.storeId);
}

/**
 * Archives as files. An object gets its name only when it is whole and on the disk; a name is never taken twice. A
 * directory that lost its binding (an unmounted disk shows an empty folder) is unreachable, never empty.
 */
class FilesystemStore implements ArchiveStore {
  readonly #root: string;
  readonly #storeId: string;

  constructor(root: string, storeId: string) {
    this.#root = root;
    this.#storeId = storeId;
  }

  async storeId(): Promise<string> {
    const path = join(this.#root, OWN, "store.json");
    return guarded(
      "reading the store's identity",
      async () => decodeBinding(await readFile(path, "utf8"), path).storeId,
    );
  }

  async head(key: string): Promise<ArchiveHead | null> {
    const path = this.#path(key);
    return guarded("looking for an archive", async () => {
      const found = await orNull(stat(path));
      if (found === null) {
        await this.#assertPresent();
        return null;
      }
      const marker = await orNull(readFile(metaKey(path), "utf8"));
      return { sizeBytes: found.size, meta: marker === null ? null : decodeMarker(marker) };
    });
  }

  async put(key: string, body: Readable, signal: AbortSignal): Promise<{ sizeBytes: number; sha256: string }> {
    const path = this.#path(key);
    const draft = this.#draft();
    try {
      await this.#assertPresent();
      if ((await orNull(stat(path))) !== null) throw new AlreadyThere(`${key} exists already and is not overwritten`);
      const written = await writeBody(draft, body, signal);
      await makeFolder(dirname(path), this.#root);
      await publish(draft, path);
      return written;
    } catch (error) {
      body.destroy();
      await orNull(unlink(draft));
      signal.throwIfAborted();
      throw failure("writing an archive", error);
    }
  }

  async putMeta(key: string, meta: ArchiveMeta): Promise<void> {
    await this.#replace(metaKey(this.#path(key)), encodeMarker(meta));
  }

  async get(key: string, signal: AbortSignal): Promise<{ body: Readable; sizeBytes: number }> {
    const path = this.#path(key);
    return guarded("reading an archive", async () => {
      const file = await open(path, "r");
      const { size } = await file.stat();
      // The file handle closes with the stream.
      const body = createReadStream(path, { fd: file, highWaterMark: 2 ** 17, signal });
      // Aborted before anybody reads, its error would have no listener and end the process. The reader gets it all the same.
      body.on("error", () => {});
      return { body, sizeBytes: size };
    });
  }

  openFile(key: string): Promise<OpenFile> {
    const path = this.#path(key);
    return guarded("reading an archive", () => open(path, "r"));
  }

  async remove(key: string): Promise<void> {
    const path = this.#path(key);
    await guarded("removing an archive", async () => {
      await this.#assertPresent();
      await orNull(unlink(metaKey(path)));
      await orNull(unlink(path));
      if ((await orNull(syncFolder(dirname(path)))) === null) return;
      await removeIfEmpty(dirname(path));
      await removeIfEmpty(dirname(dirname(path)));
    });
  }

  async list(): Promise<ObjectSeen[]> {
    return guarded("listing archives", async () => {
      const now = await this.#now();
      const seen: ObjectSeen[] = [];
      for (const workspace of await folders(this.#root)) {
        for (const attempt of await folders(join(this.#root, workspace))) {
          const object = await this.#seen(`${workspace}/${attempt}/home.tar.zst`, now);
          if (object !== null) seen.push(object);
        }
      }
      await this.#assertPresent();
      return seen;
    });
  }

  async abortStaleUploads(olderThanMs: number): Promise<number> {
    return guarded("looking for unfinished uploads", async () => {
      await this.#assertPresent();
      const now = await this.#now();
      const folder = join(this.#root, OWN, "uploads");
      let aborted = 0;
      for (const name of await readdir(folder)) {
        const found = await orNull(stat(join(folder, name)));
        if (found === null || now - found.mtimeMs < olderThanMs) continue;
        await orNull(unlink(join(folder, name)));
        aborted++;
      }
      return aborted;
    });
  }

  async readGeneration(): Promise<number> {
    return guarded("reading the generation", async () => {
      const text = await orNull(readFile(join(this.#root, OWN, "generation"), "utf8"));
      if (text === null) {
        await this.#assertPresent();
        return 0;
      }
      const generation = Number(text);
      if (!Number.isSafeInteger(generation)) throw new Error("the generation is not a number");
      return generation;
    });
  }

  async writeGeneration(generation: number): Promise<void> {
    await this.#replace(join(this.#root, OWN, "generation"), `${generation}\n`);
  }

  #path(key: string): string {
    if (parseArchiveKey(key) === null) throw new Error(`${JSON.stringify(key)} is not the key of an archive`);
    return join(this.#root, key);
  }

  #draft(): string {
    return join(this.#root, OWN, "uploads", `${randomUUID()}.part`);
  }

  async #replace(path: string, text: string): Promise<void> {
    await guarded("writing to the archive store", async () => {
      await this.#assertPresent();
      const draft = this.#draft();
      await writeDurably(draft, text);
      await rename(draft, path);
      await syncFolder(dirname(path));
    });
  }

  async #assertPresent(): Promise<void> {
    if ((await this.storeId()) !== this.#storeId) {
      throw new OperationFailure("Unreachable", `${this.#root} is not the archive store that was opened`);
    }
  }

  async #seen(key: string, now: number): Promise<ObjectSeen | null> {
    if (parseArchiveKey(key) === null) return null;
    const path = join(this.#root, key);
    const found = (await orNull(stat(path))) ?? (await orNull(stat(metaKey(path))));
    if (found === null) return null;
    const isObject = (await orNull(stat(path))) !== null;
    return { key, sizeBytes: isObject ? found.size : 0, ageMs: Math.max(0, now - found.mtimeMs) };
  }

  /** The time by the file system's own clock, which on a network mount is another machine's. */
  async #now(): Promise<number> {
    const probe = this.#draft();
    await writeDurably(probe, "");
    const { mtimeMs } = await stat(probe);
    await unlink(probe);
    return mtimeMs;
  }
}

async function folders(path: string): Promise<string[]> {
  const entries = await orNull(readdir(path, { withFileTypes: true }));
  return (entries ?? []).filter((entry) => entry.isDirectory() && entry.name !== OWN).map((entry) => entry.name);
}

async function guarded<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failure(doing, error);
  }
}

function failure(doing: string, error: unknown): Error {
  if (error instanceof OperationFailure) return error;
  if (error instanceof AlreadyThere) return new OperationFailure("ActionFailed", error.message, { cause: error });
  const code = codeOf(error);
  const message = `${doing} failed: ${(error as Error).message}`;
  if (code === "ENOSPC" || code === "EDQUOT") return new OperationFailure("DiskFull", message, { cause: error });
  return new OperationFailure("Unreachable", message, { cause: error });
}

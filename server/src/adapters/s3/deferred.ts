import { OperationFailure } from "#ports/failure.ts";
import { openS3Store, type S3ArchiveStore } from "./archives.ts";
import { type S3StoreOptions, statusOf } from "./client.ts";

/**
 * Opens a bucket that this deployment has used before. When it cannot be reached now, the server starts all the same:
 * running workspaces do not need it, and every call tries again. A bucket that answers and is wrong stops the start.
 */
export async function openKnownS3Store(options: S3StoreOptions): Promise<S3ArchiveStore> {
  try {
    return await openS3Store(options);
  } catch (error) {
    if (!isOutage(error)) throw error;
    return whenReachable(() => openS3Store(options));
  }
}

/** No answer at all, or one that says that the store itself is in trouble. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof OperationFailure) || error.reason !== "Unreachable") return false;
  const status = statusOf(error.cause);
  return status === undefined || status >= 500;
}

function whenReachable(open: () => Promise<S3ArchiveStore>): S3ArchiveStore {
  let opening: Promise<S3ArchiveStore> | null = null;
  const store = (): Promise<S3ArchiveStore> => {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      // Whatever is wrong by now, a running server reports it and goes on.
      throw error instanceof OperationFailure
        ? error
        : new OperationFailure("Unreachable", (error as Error).message, { cause: error });
    });
    return opening;
  };
  return {
    storeId: async () => (await store()).storeId(),
    head: async (key) => (await store()).head(key),
    put: async (key, body, signal) => (await store()).put(key, body, signal),
    begin: async (key) => (await store()).begin(key),
    sign: async (key, upload, parts, validSeconds) => (await store()).sign(key, upload, parts, validSeconds),
    complete: async (key, upload, parts, sizeBytes) => (await store()).complete(key, upload, parts, sizeBytes),
    abort: async (key, upload) => (await store()).abort(key, upload),
    signRead: async (key, validSeconds) => (await store()).signRead(key, validSeconds),
    putMeta: async (key, meta) => (await store()).putMeta(key, meta),
    get: async (key, signal) => (await store()).get(key, signal),
    remove: async (key) => (await store()).remove(key),
    list: async () => (await store()).list(),
    abortStaleUploads: async (olderThanMs) => (await store()).abortStaleUploads(olderThanMs),
    readGeneration: async () => (await store()).readGeneration(),
    writeGeneration: async (generation) => (await store()).writeGeneration(generation),
  };
}

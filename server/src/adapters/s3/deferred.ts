import type { ArchiveStore } from "#ports/archives.ts";
import { OperationFailure } from "#ports/failure.ts";
import { openS3Store } from "./archives.ts";
import { type S3StoreOptions, statusOf } from "./client.ts";

/**
 * Opens a bucket that this deployment has used before. When it cannot be reached now, the server starts all the same:
 * running workspaces do not need it, and every call tries again. A bucket that answers and is wrong stops the start.
 */
export async function openKnownS3Store(options: S3StoreOptions): Promise<ArchiveStore> {
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

function whenReachable(open: () => Promise<ArchiveStore>): ArchiveStore {
  let opening: Promise<ArchiveStore> | null = null;
  const store = (): Promise<ArchiveStore> => {
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
    putMeta: async (key, meta) => (await store()).putMeta(key, meta),
    get: async (key, signal) => (await store()).get(key, signal),
    remove: async (key) => (await store()).remove(key),
    list: async () => (await store()).list(),
    abortStaleUploads: async (olderThanMs) => (await store()).abortStaleUploads(olderThanMs),
    readGeneration: async () => (await store()).readGeneration(),
    writeGeneration: async (generation) => (await store()).writeGeneration(generation),
  };
}

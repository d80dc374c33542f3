import type { ArchiveStore } from "#ports/archives.ts";
import type { StorageJobs } from "#ports/jobs.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { Volumes } from "#ports/volumes.ts";

export interface World {
  readonly runtime: Runtime;
  readonly volumes: Volumes;
  readonly archives: ArchiveStore;
  readonly jobs: StorageJobs;
}

/**
 * The same world, in which everything that changes it first passes the check: the term's lease, and for an attempt
 * also that it was not given up meanwhile. Looking needs no right.
 */
export function fenced(world: World, check: () => void): World {
  const { runtime, volumes, archives, jobs } = world;
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      check();
      return await call(...args);
    };
  return {
    runtime: delegate(runtime, {
      ensureImage: guard(runtime.ensureImage.bind(runtime)),
      start: guard(runtime.start.bind(runtime)),
      remove: guard(runtime.remove.bind(runtime)),
    }),
    volumes: delegate(volumes, {
      create: guard(volumes.create.bind(volumes)),
      seal: guard(volumes.seal.bind(volumes)),
      remove: guard(volumes.remove.bind(volumes)),
    }),
    archives: delegate(archives, {
      remove: guard(archives.remove.bind(archives)),
      abortStaleUploads: guard(archives.abortStaleUploads.bind(archives)),
      writeGeneration: guard(archives.writeGeneration.bind(archives)),
    }),
    jobs: delegate(jobs, {
      archive: guard(jobs.archive.bind(jobs)),
      archiveEmpty: guard(jobs.archiveEmpty.bind(jobs)),
      restore: guard(jobs.restore.bind(jobs)),
      end: guard(jobs.end.bind(jobs)),
    }),
  };
}

/** Prototype delegation keeps class instances whole: what is not replaced is the original's, with its own `this`. */
function delegate<T extends object>(original: T, replaced: Partial<T>): T {
  return new Proxy(original, {
    get(target, key) {
      if (Object.hasOwn(replaced, key)) return replaced[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

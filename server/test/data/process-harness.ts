import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { ProcessJobLauncher } from "#adapters/process/jobs.ts";
import { openProcessVolumes, type ProcessVolumes } from "#adapters/process/volumes.ts";
import { systemClock, systemIds } from "#adapters/system/clock.ts";
import type { JobLauncher } from "#jobs/job-launcher.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { StorageJobs } from "#ports/jobs.ts";
import { DirectLauncher } from "./direct-launcher.ts";
import { fingerprint } from "./fingerprint.ts";

/** Volumes and storage jobs of the process runtime in a scratch folder, over a directory of archives or another store. */
export interface ProcessDataPlane {
  readonly scratch: string;
  readonly deploymentId: string;
  readonly volumes: ProcessVolumes;
  readonly store: ArchiveStore;
  readonly launcher: JobLauncher;
  readonly jobs: (store: ArchiveStore) => StorageJobs;
  readonly homePath: (volume: string) => string;
  readonly fill: (volume: string) => Promise<void>;
  readonly fingerprint: (volume: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function processDataPlane(parts: {
  store?: (deploymentId: string) => Promise<ArchiveStore>;
  volumesDirectory?: string;
  occupied?: ReadonlySet<string>;
  /** Jobs send and read archives by themselves. */
  direct?: boolean;
}): Promise<ProcessDataPlane> {
  const scratch = await mkdtemp(join(tmpdir(), "codehub-data-"));
  const deploymentId = randomUUID();
  const volumes = await openProcessVolumes({
    directory: parts.volumesDirectory ?? join(scratch, "volumes"),
    deploymentId,
    references: async (name) => (parts.occupied?.has(name) ? ["a test"] : []),
  });
  const store =
    (await parts.store?.(deploymentId)) ??
    (await openFilesystemStore({ directory: join(scratch, "archives"), deploymentId }));
  const cacheDirectory = join(scratch, "cache");
  const launcher = parts.direct
    ? new DirectLauncher(volumes, scratch)
    : new ProcessJobLauncher({ deploymentId, volumes, cacheDirectory, clock: systemClock });
  const homePath = (volume: string) => join(volumes.path(volume), "home");
  return {
    scratch,
    deploymentId,
    volumes,
    store,
    launcher,
    jobs: (used) => new StorageJobRunner({ store: used, launcher, clock: systemClock, ids: systemIds }),
    homePath,
    fill: async (volume) => fillHome(homePath(volume)),
    fingerprint: async (volume) => fingerprint(homePath(volume)),
    close: async () => {
      // Through the volumes: they know how to remove what a user has locked.
      for (const { name } of await volumes.list()) await volumes.remove(name);
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** Two hundred small files, and more bytes that do not compress than pipes and an engine hold between a job and its reader. */
export function fillHome(home: string): void {
  for (let folder = 0; folder < 10; folder++) {
    mkdirSync(join(home, `folder-${folder}`));
    for (let file = 0; file < 20; file++) {
      writeFileSync(join(home, `folder-${folder}`, `file-${file}`), randomUUID().repeat(folder * file));
    }
  }
  writeFileSync(join(home, "noise"), randomBytes(8 * 2 ** 20));
}

export async function isEmptyFolder(path: string): Promise<boolean> {
  return (await readdir(path)).length === 0;
}

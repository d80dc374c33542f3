import type { ArchiveStore } from "./archives.ts";
import type { SetupJobs, StorageJobs } from "./jobs.ts";
import type { Runtime } from "./runtime.ts";
import type { Volumes } from "./volumes.ts";

/** Everything outside the database in which a workspace's home and containers are. */
export interface World {
  readonly runtime: Runtime;
  readonly volumes: Volumes;
  readonly archives: ArchiveStore;
  readonly jobs: StorageJobs;
  readonly setup: SetupJobs;
}

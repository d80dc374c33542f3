import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import { fingerprint } from "../data/fingerprint.ts";
import { fillHome } from "../data/process-harness.ts";
import type { RoundTripHarness } from "../suites/home-round-trip-suite.ts";
import { type DockerHarnessOptions, dockerHarness } from "./docker-harness.ts";

/** The engine is on this machine and we are root, so a test may look into volumes without the code under test. */
export async function volumesPath(harness: Awaited<ReturnType<typeof dockerHarness>>): Promise<string> {
  const { DockerRootDir } = await harness.engine.need<{ DockerRootDir: string }>("GET", "/info");
  return join(DockerRootDir, "volumes");
}

/** Volumes and storage jobs on an engine, over a store of the test's own. */
export async function dockerDataPlane(
  host: string,
  options: DockerHarnessOptions,
  openStore: (deploymentId: string, scratch: string) => Promise<ArchiveStore>,
): Promise<RoundTripHarness> {
  const harness = await dockerHarness(host, options);
  const { volumes, launcher } = harness;
  const root = await volumesPath(harness);
  const homePath = (volume: string) => join(root, volume, "_data", "home");
  const scratch = await mkdtemp(join(tmpdir(), "codehub-docker-data-"));
  return {
    volumes,
    store: await openStore(harness.deploymentId, scratch),
    jobs: (store: ArchiveStore) => new StorageJobRunner({ store, launcher, clock, ids }),
    homePath,
    fill: async (volume: string) => fillHome(homePath(volume)),
    fingerprint: async (volume: string) => fingerprint(homePath(volume)),
    close: async () => {
      await harness.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

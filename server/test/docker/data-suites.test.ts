import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, inject } from "vitest";
import { DockerVolumes } from "#adapters/docker/volumes.ts";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { openS3Store } from "#adapters/s3/archives.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import { fingerprint } from "../data/fingerprint.ts";
import { fillHome, isEmptyFolder } from "../data/process-harness.ts";
import { freshBucket } from "../data/s3-server.ts";
import { storageJobsSuite } from "../suites/storage-jobs-suite.ts";
import { volumesSuite } from "../suites/volumes-suite.ts";
import { type DockerHarness, dockerHarness, FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");
const s3 = inject("s3");

/** The engine is on this machine and we are root, so a test may look into a volume without the code under test. */
async function homeIn(harness: DockerHarness, volume: string): Promise<string> {
  const { Mountpoint } = await harness.engine.need<{ Mountpoint: string }>("GET", `/volumes/${volume}`);
  return join(Mountpoint, "home");
}

async function dataPlane(openStore: (deploymentId: string, scratch: string) => Promise<ArchiveStore>) {
  const harness = await dockerHarness(host ?? "");
  const { volumes, launcher } = harness;
  const scratch = await mkdtemp(join(tmpdir(), "codehub-docker-data-"));
  return {
    volumes,
    store: await openStore(harness.deploymentId, scratch),
    jobs: (store: ArchiveStore) => new StorageJobRunner({ store, launcher, clock, ids }),
    fill: async (volume: string) => fillHome(await homeIn(harness, volume)),
    fingerprint: async (volume: string) => fingerprint(await homeIn(harness, volume)),
    close: async () => {
      await harness.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

describe.skipIf(host === null)("on Docker", () => {
  volumesSuite("docker", async () => {
    const harness = await dockerHarness(host ?? "");
    const { engine, deploymentId, launcher } = harness;
    const open = async (deployment: string) =>
      new DockerVolumes({ engine, deploymentId: deployment, jobImage: JOB_IMAGE, jobs: launcher });
    return {
      volumes: harness.volumes,
      reopened: () => open(deploymentId),
      stranger: () => open(randomUUID()),
      hasEmptyHome: async (name) => isEmptyFolder(await homeIn(harness, name)),
      occupy: async (name) => {
        const body = { Image: FAKE_IMAGE, HostConfig: { Binds: [`${name}:/somewhere`] } };
        const { Id } = await engine.need<{ Id: string }>("POST", "/containers/create", { body });
        return async () => {
          await engine.call("DELETE", `/containers/${Id}`);
        };
      },
      close: harness.close,
    };
  });

  // Each store is held to its own suite; here one is enough, and the real one is worth more.
  if (s3 === null) {
    storageJobsSuite("docker and directory", () =>
      dataPlane((deploymentId, scratch) => openFilesystemStore({ directory: join(scratch, "archives"), deploymentId })),
    );
  } else {
    storageJobsSuite("docker and S3", () =>
      dataPlane(async (deploymentId) => openS3Store(await freshBucket(s3, deploymentId))),
    );
  }
});

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, inject } from "vitest";
import { VolumeFolders } from "#adapters/docker/volume-folders.ts";
import { DockerVolumes } from "#adapters/docker/volumes.ts";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { openS3Store } from "#adapters/s3/archives.ts";
import { isEmptyFolder } from "../data/process-harness.ts";
import { freshBucket } from "../data/s3-server.ts";
import { storageJobsSuite } from "../suites/storage-jobs-suite.ts";
import { volumesSuite } from "../suites/volumes-suite.ts";
import { dockerDataPlane, volumesPath } from "./docker-data-plane.ts";
import { dockerHarness, FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");
const s3 = inject("s3");

const directory = (deploymentId: string, scratch: string) =>
  openFilesystemStore({ directory: join(scratch, "archives"), deploymentId });

describe.skipIf(host === null)("on Docker", () => {
  for (const by of ["folders", "jobs"] as const) {
    volumesSuite(`docker by ${by}`, async () => {
      const harness = await dockerHarness(host ?? "", { folders: by === "folders" });
      const { engine, deploymentId, launcher } = harness;
      const root = await volumesPath(harness);
      const open = async (deployment: string) =>
        new DockerVolumes({
          engine,
          deploymentId: deployment,
          jobImage: JOB_IMAGE,
          jobs: launcher,
          ...(by === "folders" ? { folders: new VolumeFolders(engine, deployment) } : {}),
        });
      return {
        volumes: harness.volumes,
        reopened: () => open(deploymentId),
        stranger: () => open(randomUUID()),
        hasEmptyHome: (name) => isEmptyFolder(join(root, name, "_data", "home")),
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
  }

  for (const channel of ["socket", "streams"] as const) {
    // Each store is held to its own suite; here one for each way is enough, and the real one is worth more.
    const open =
      s3 === null || channel === "streams"
        ? directory
        : async (deploymentId: string) => openS3Store(await freshBucket(s3, deploymentId));
    storageJobsSuite(`docker by ${channel}`, () => dockerDataPlane(host ?? "", { channel }, open));
  }
});

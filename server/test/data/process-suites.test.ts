import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, inject } from "vitest";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { openS3Store } from "#adapters/s3/archives.ts";
import { storageJobsSuite } from "../suites/storage-jobs-suite.ts";
import { volumesSuite } from "../suites/volumes-suite.ts";
import { isEmptyFolder, processDataPlane } from "./process-harness.ts";
import { freshBucket, type S3Access } from "./s3-server.ts";

volumesSuite("process", async () => {
  const occupied = new Set<string>();
  const plane = await processDataPlane({ occupied });
  const open = (deploymentId: string) =>
    openProcessVolumes({ directory: join(plane.scratch, "volumes"), deploymentId, references: async () => [] });
  return {
    volumes: plane.volumes,
    reopened: () => open(plane.deploymentId),
    stranger: () => open(randomUUID()),
    hasEmptyHome: (name) => isEmptyFolder(plane.homePath(name)),
    occupy: async (name) => {
      occupied.add(name);
      return async () => {
        occupied.delete(name);
      };
    },
    close: plane.close,
  };
});

storageJobsSuite("process and directory", () => processDataPlane({}));

const access = inject("s3");
describe.skipIf(access === null)("with an S3 server", () => {
  const store = async (deploymentId: string) => openS3Store(await freshBucket(access as S3Access, deploymentId));
  storageJobsSuite("process and S3", () => processDataPlane({ store }));
  storageJobsSuite("process that sends to S3 by itself", () => processDataPlane({ store, direct: true }));
});

import { describe, inject } from "vitest";
import { storageJobsSuite } from "../suites/storage-jobs-suite.ts";
import { kubernetesDataPlane } from "./kubernetes-data-plane.ts";

const cluster = inject("cluster");
const s3 = inject("s3");

// A test looks into the disks, so the cluster has to be on this machine.
describe.skipIf(cluster === null || cluster.dir === null || s3 === null)("on Kubernetes", () => {
  if (cluster === null || s3 === null) return;
  storageJobsSuite("kubernetes", () => kubernetesDataPlane(cluster, s3), { everyDamage: false });
});

import { describe, inject } from "vitest";
import { homeRoundTripSuite } from "../suites/home-round-trip-suite.ts";
import { kubernetesDataPlane } from "./kubernetes-data-plane.ts";

const cluster = inject("cluster");
const s3 = inject("s3");

// A test plants into the disks, so the cluster has to be on this machine.
describe.skipIf(cluster === null || cluster.dir === null || s3 === null)("on Kubernetes", () => {
  if (cluster === null || s3 === null) return;
  // One tree takes six pods one after the other; as many as there is time for are tried by owner-jobs.test.ts, without them.
  homeRoundTripSuite("kubernetes", () => kubernetesDataPlane(cluster, s3), { trees: 1, smallFolders: 5 });
});

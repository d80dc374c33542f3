import { describe, inject } from "vitest";
import { runtimeSuite } from "../suites/runtime-suite.ts";
import { kubernetesHarness } from "./kubernetes-harness.ts";

const cluster = inject("cluster");

describe.skipIf(cluster === null)("on Kubernetes", () => {
  if (cluster !== null) runtimeSuite("kubernetes", () => kubernetesHarness(cluster));
});

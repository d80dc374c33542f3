import { clusterSource } from "../test/kubernetes/private-cluster.ts";
import type { BenchResult } from "./result.ts";
import { onDocker } from "./start/docker.ts";
import { onKubernetes } from "./start/kubernetes.ts";

/** What a start costs beside what its engine needs for it: on Docker, and on Kubernetes where there is a cluster (`…_kubernetes`). */
export async function run(): Promise<BenchResult> {
  const source = clusterSource();
  const docker = process.env["START_BENCH_ONLY"] === "kubernetes" ? null : await onDocker();
  const kubernetes = source === null ? null : await onKubernetes(source);
  return {
    metrics: { ...docker?.metrics, ...kubernetes?.metrics },
    ratios: { ...docker?.ratios, ...kubernetes?.ratios },
  };
}

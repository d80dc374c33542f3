import type { TestProject } from "vitest/node";
import { setup as setupS3 } from "../data/global-setup.ts";
import { clusterSource, givenCluster, startCluster, type TestCluster } from "./private-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The cluster that test files share, or null where there is none. */
    cluster: TestCluster | null;
  }
}

/** A cluster and an S3 server for its jobs, both at once; neither where there is no cluster. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const source = clusterSource();
  if (source === null) {
    project.provide("cluster", null);
    project.provide("s3", null);
    return async () => {};
  }
  const given = "kubeconfig" in source ? givenCluster(source.kubeconfig) : null;
  const starting = "programs" in source ? startCluster(source.programs) : null;
  const [cluster, s3] = await Promise.allSettled([starting, setupS3(project)]);
  const stop = async (): Promise<void> => {
    if (s3.status === "fulfilled") await s3.value?.();
    if (cluster.status === "fulfilled") await cluster.value?.[Symbol.asyncDispose]();
  };
  for (const started of [cluster, s3]) {
    if (started.status === "fulfilled") continue;
    await stop();
    throw started.reason;
  }
  const own = cluster.status === "fulfilled" ? cluster.value : null;
  project.provide("cluster", given ?? (own === null ? null : { kubeconfig: own.kubeconfig, dir: own.dir }));
  return stop;
}

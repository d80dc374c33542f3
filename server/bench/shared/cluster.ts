import {
  type ClusterOptions,
  type ClusterSource,
  givenCluster,
  startCluster,
  type TestCluster,
} from "../../test/kubernetes/private-cluster.ts";

/** A cluster of the bench's own, or the one that somebody gave us, which has the images already and stays. */
export async function openCluster(
  source: ClusterSource,
  options: ClusterOptions,
): Promise<TestCluster & AsyncDisposable> {
  if ("programs" in source) return await startCluster(source.programs, options);
  return { ...givenCluster(source.kubeconfig), [Symbol.asyncDispose]: async () => {} };
}

import { clusterObjects } from "#adapters/kubernetes/manifests.ts";
import type { Config } from "#config/config.ts";

/** What an operator applies before the first start, as `kubectl apply -f -` takes it. */
export function printedObjects(config: Config): string {
  const items = clusterObjects({
    namespace: config.KUBERNETES_NAMESPACE,
    serverNamespace: config.KUBERNETES_SERVER_NAMESPACE,
    serverNetworks: config.KUBERNETES_SERVER_NETWORKS,
    storeNetworks: config.KUBERNETES_STORE_NETWORKS,
  });
  return JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2);
}

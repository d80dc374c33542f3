import { clusterObjects } from "#adapters/kubernetes/manifests.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { configuration } from "./environment.ts";

/** What an operator applies before the first start, as `kubectl apply -f -` takes it. */
export async function kubernetesPrint(): Promise<number> {
  const config = configuration();
  const items = clusterObjects({
    namespace: config.KUBERNETES_NAMESPACE,
    serverNamespace: config.KUBERNETES_SERVER_NAMESPACE,
    serverNetworks: config.KUBERNETES_SERVER_NETWORKS,
    storeNetworks: config.KUBERNETES_STORE_NETWORKS,
    allowedNetworks: config.WORKSPACE_ALLOWED_NETWORKS,
  });
  console.log(JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2));
  return EXIT.inOrder;
}

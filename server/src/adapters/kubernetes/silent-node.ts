import { failureOf, OperationFailure } from "#ports/failure.ts";
import { means } from "./answers.ts";
import type { Cluster } from "./cluster.ts";
import type { Pod } from "./objects.ts";
import { type Pods, parseContainerId } from "./pods.ts";

/** Beyond the time a pod was given to end: a node that works has told of its end long before. */
const OVERDUE_MS = 60_000;

/**
 * The node of a pod of which the cluster hears nothing, as far as the pod itself tells: looking at nodes takes rights
 * that we do not need. A kubelet says of both conditions the same; only the cluster takes back the one without the
 * other, when it has lost sight of the node.
 */
export function silentNodeOf({ metadata, spec, status }: Pod, now: number): string | null {
  const { nodeName } = spec;
  const { phase, conditions = [] } = status ?? {};
  if (nodeName === undefined || phase === "Succeeded" || phase === "Failed") return null;
  const is = (type: string): string => conditions.find((one) => one.type === type)?.status ?? "";
  const unheard = is("ContainersReady") === "True" && is("Ready") !== "True";
  const overdue = now - Date.parse(metadata.deletionTimestamp ?? "") > OVERDUE_MS;
  return unheard || overdue ? nodeName : null;
}

/**
 * Takes the pod out of the cluster's books by an operator's word that its node is off. Rejects with nothing done when it
 * is on another node, when the pod was heard of since, or when we may look at the node and it says that it works.
 */
export async function giveUpPod(
  cluster: Cluster,
  pods: Pods,
  { container, node }: { readonly container: string; readonly node: string },
): Promise<void> {
  const id = parseContainerId(container);
  const pod = await pods.find(id);
  if (pod === null) return;
  if (!pods.isOurs(pod)) throw new OperationFailure("ActionFailed", `Pod ${id.name} is not of this deployment.`);
  if (silentNodeOf(pod, Date.now()) !== node || (await isReady(cluster, node))) {
    throw failureOf("ActionFailed", "node_answers", { node });
  }
  await cluster.forget(`${pods.path}/${encodeURIComponent(id.name)}`, pod.metadata);
  const left = await pods.find(id);
  if (left !== null) throw failureOf("Unreachable", "container_stays", {}, (left.metadata.finalizers ?? []).join(", "));
}

interface Node {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** False also where looking at nodes is not allowed, and for a node that the cluster does not know any more. */
async function isReady(cluster: Cluster, name: string): Promise<boolean> {
  try {
    const node = await cluster.read<Node>(`/api/v1/nodes/${encodeURIComponent(name)}`);
    return node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  } catch (error) {
    if (means(error, "refused")) return false;
    throw error;
  }
}

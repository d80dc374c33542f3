import type { Pod } from "#adapters/kubernetes/objects.ts";
import type { Left } from "./changes.ts";
import type { Fleet } from "./seed.ts";

/** More of them would say the same. */
const MOST = 5;

/** What the row, the pod and the cluster's events say of those that came to no end: whoever runs the bench wants to know who it waited for. */
export async function tellOfLeft({ admin, namespace }: Fleet, left: readonly Left[]): Promise<void> {
  console.error(`${left.length} changes have not come to their end:`);
  for (const { id, conditions, ...row } of left.slice(0, MOST)) {
    const name = `ws-${id}`;
    const pod = await admin.read<Pod>(`/api/v1/namespaces/${namespace}/pods/${name}`).catch(String);
    const query = { fieldSelector: `involvedObject.name=${name}`, limit: "100" };
    const events = await admin.read(`/api/v1/namespaces/${namespace}/events`, { query }).catch(String);
    console.error(JSON.stringify({ id, row, conditions, pod, events }, null, 1));
  }
}

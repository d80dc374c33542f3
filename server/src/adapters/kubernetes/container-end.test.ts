import { expect, it } from "vitest";
import { apiServer, json, refuse } from "../../../test/kubernetes/api-server-stub.ts";
import type { Cluster } from "./cluster.ts";
import { ATTEMPT, DEPLOYMENT, ROLE, WORKSPACE } from "./labels.ts";
import type { ClusterEvent, ContainerStatus, PodStatus } from "./objects.ts";
import { ANYWHERE } from "./pod-parts.ts";
import { Pods } from "./pods.ts";
import { Premises } from "./premises.ts";
import { KubernetesRuntime } from "./runtime.ts";

const deploymentId = "11111111-1111-4111-8111-111111111111";
const workspaceId = "22222222-2222-4222-8222-222222222222";
const labels = { [DEPLOYMENT]: deploymentId, [ROLE]: "workspace", [WORKSPACE]: workspaceId, [ATTEMPT]: "a" };

const runtimeOf = (cluster: Cluster): KubernetesRuntime =>
  new KubernetesRuntime({
    ...{ cluster, namespace: "ns", deploymentId, placement: ANYWHERE, jobImage: "job", graceSeconds: 2 },
    ...{ workspaceCommand: [], imageAllowlist: [] },
    pods: new Pods(cluster, "ns", deploymentId),
    premises: new Premises(cluster, "ns", null),
    volumes: { identity: async () => null },
    requests: { cpus: 1, memoryBytes: 1 },
    limits: { cpus: 1, memoryBytes: 1 },
  });

/** What a look says of a pod of which the cluster tells this; null: it does not tell its events. */
async function seenOf(status: PodStatus, events: readonly ClusterEvent[] | null) {
  const { cluster, asked } = await apiServer(({ path, query }, response) => {
    const pod = { metadata: { name: `ws-${workspaceId}`, uid: "u", resourceVersion: "1", labels }, spec: {}, status };
    if (path.endsWith("/pods")) return json(response, 200, { metadata: { resourceVersion: "1" }, items: [pod] });
    if (events === null) return refuse(response, 403, "Forbidden");
    const isOfPod = query.get("fieldSelector") === "involvedObject.uid=u";
    return json(response, 200, { items: isOfPod ? events : [] });
  });
  const [seen] = await runtimeOf(cluster).inspect(workspaceId);
  return { seen, asksForEvents: asked.some(({ path }) => path.endsWith("/events")) };
}

const ide = (state: NonNullable<ContainerStatus["state"]>): ContainerStatus[] => [{ name: "ide", state }];
const WORDS = "Pod ephemeral local storage usage exceeds the total limit of containers 100Mi.";
const STOPPED: ClusterEvent = { reason: "Killing", message: "Stopping container ide", lastTimestamp: "2026-11-19T02" };
const ended = (reason: string): ClusterEvent[] => [{ reason, message: WORDS, lastTimestamp: "2026-11-19T01" }, STOPPED];
/** As Kubernetes 1.36 tells of a pod that it evicted and whose programs ended in good order when they were asked to. */
const SUCCEEDED: PodStatus = { phase: "Succeeded", containerStatuses: ide({ terminated: { exitCode: 0 } }) };

it.each([
  ["evicted", "Evicted"],
  ["preempted", "Preempting"],
])("a program that ends well when its node wants the place back was %s all the same", async (code, reason) => {
  const { seen } = await seenOf(SUCCEEDED, ended(reason));
  expect(seen).toMatchObject({ state: "exited", exitCode: 0, ended: { code, fields: { message: WORDS } } });
});

it("one that ended by itself did, whatever else is said of its pod, and where nothing is said", async () => {
  for (const events of [[], [{ reason: "Started" }, STOPPED], null]) {
    const { seen } = await seenOf(SUCCEEDED, events);
    expect(seen).toMatchObject({ state: "exited", exitCode: 0 });
    expect(seen?.ended).toBeUndefined();
  }
});

it("events are asked for only where the pod does not say why it ended", async () => {
  const running: PodStatus = { phase: "Running", podIP: "10.0.0.1", containerStatuses: ide({ running: {} }) };
  const said: PodStatus = { phase: "Failed", reason: "Evicted", message: WORDS };
  expect((await seenOf(running, [])).asksForEvents).toBe(false);
  expect(await seenOf(said, [])).toMatchObject({ seen: { ended: { code: "evicted" } }, asksForEvents: false });
});

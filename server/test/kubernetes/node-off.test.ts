import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { short } from "../../proof/kubernetes/short.ts";
import { Stage } from "../../proof/kubernetes/stage.ts";
import { apiAs } from "../e2e/accounts.ts";
import { runInside } from "../runtime/ask.ts";
import { startOnCluster } from "./cluster-program.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "./kubernetes-data-plane.ts";
import { clusterSource, startCluster } from "./private-cluster.ts";

const run = promisify(execFile);
const isOwn = (inject("cluster")?.dir ?? null) !== null;
const s3 = inject("s3");

/** Of a cluster of its own, because others use the nodes of theirs. */
describe.skipIf(!isOwn || s3 === null)("a node that goes", { concurrent: false }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let plane: KubernetesDataPlane;
  let program: Awaited<ReturnType<typeof startOnCluster>>;
  let api: Client;
  beforeAll(async () => {
    const source = clusterSource();
    if (source === null || !("programs" in source) || s3 === null) return;
    cluster = await startCluster(source.programs);
    plane = await kubernetesDataPlane(cluster, s3);
    program = await startOnCluster(plane, { STOP_GRACE_SECONDS: "2" });
    api = await apiAs(program.url);
  });
  afterAll(async () => {
    await program?.stop();
    await plane?.close();
    await cluster?.[Symbol.asyncDispose]();
  }, 180_000);

  const eventually = (check: () => Promise<void>, seconds: number): Promise<void> =>
    vi.waitFor(check, { timeout: seconds * 1_000, interval: 250 });
  const reaches = (id: string, phase: string, seconds = 120): Promise<void> =>
    eventually(async () => {
      const workspace = await api.getWorkspace({ params: { id } });
      expect([workspace.phase, workspace.operation]).toEqual([phase, "NONE"]);
    }, seconds);
  const podOf = (id: string): Promise<Pod | null> =>
    plane.harness.admin.read<Pod>(`/api/v1/namespaces/${plane.harness.namespace}/pods/ws-${id}`);
  const inside = async (id: string, command: string) => {
    const host = (await podOf(id))?.status?.podIP;
    if (host === undefined) throw new Error(`The pod of ${id} has no address.`);
    return await runInside({ address: { kind: "tcp", host, port: 8080 } }, command);
  };
  const taint = async (name: string, taints: readonly object[]): Promise<void> => {
    await plane.harness.admin.patch(`/api/v1/nodes/${name}`, { spec: { taints } });
  };
  const silence = async (id: string) =>
    (await api.getWorkspace({ params: { id } })).conditions["infra.container_present"];
  const toldOf = async (id: string): Promise<string[]> =>
    (await api.listHistory({ params: { id }, query: {} })).items.map(
      ({ kind, details }) => `${kind} ${details["code"]}`,
    );

  // First: another one leaves a node without power behind.
  it("and an API server, etcd, a kubelet and a coordinator that are killed: homes are what they were", async () => {
    if (s3 === null) return;
    await using stage = await Stage.open({ cluster, s3 });
    expect(await stage.play("short", short)).toMatchObject({ violation: null, homes: 3 });
  }, 300_000);

  it("is left in order by a drain without force, and the home opens on another node at the next visit", async () => {
    const { id } = await api.createWorkspace({ body: { name: "drained" } });
    await reaches(id, "RUNNING");
    expect(await inside(id, "echo kept > ~/file && sync")).toMatchObject({ code: 0 });
    const node = (await podOf(id))?.spec.nodeName ?? "";
    const kubectl = (...args: string[]) =>
      run(join(cluster.dir ?? "", "bin/kubectl"), ["--kubeconfig", cluster.kubeconfig, ...args]);
    // Only what is ours: the cluster's own pods are for whoever runs it.
    await kubectl("drain", node, "--pod-selector=codehub/deployment", "--timeout=120s");
    onTestFinished(async () => void (await kubectl("uncordon", node)));
    expect((await podOf(id))?.spec.nodeName).not.toBe(node);
    await eventually(async () => {
      const { phase, desired_state } = await api.getWorkspace({ params: { id } });
      // What was taken away rests until somebody comes.
      if (desired_state !== "RUNNING")
        await api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
      // For a moment after the drain it still counts as running, and has no pod.
      const where = (await podOf(id))?.spec.nodeName ?? node;
      expect([phase, where === node]).toEqual(["RUNNING", false]);
    }, 120);
    expect(await inside(id, "cat ~/file")).toEqual({ code: 0, text: "kept\n" });
    await api.updateWorkspace({ params: { id }, body: { desired_state: "STANDBY" } });
    await reaches(id, "STANDBY");
  }, 300_000);

  it("is off for good when an administrator says so; until then its workspace waits, then its home opens elsewhere", async () => {
    const { id } = await api.createWorkspace({ body: { name: "stranded" } });
    await reaches(id, "RUNNING");
    expect(await inside(id, "echo kept > ~/file && sync")).toMatchObject({ code: 0 });
    const pod = await podOf(id);
    const node = pod?.spec.nodeName ?? "";
    const [wordTooEarly] = await Promise.allSettled([api.declareNodeOff({ params: { id }, body: { confirm: node } })]);
    expect(wordTooEarly).toMatchObject({ status: "rejected", reason: { code: "NODE_NOT_SILENT" } });

    await run(join(cluster.dir ?? "", "part"), ["kill", node]);
    await eventually(
      async () => expect(await silence(id)).toMatchObject({ reason: "NodeSilent", fields: { node } }),
      90,
    );
    await api.updateWorkspace({ params: { id }, body: { desired_state: "STANDBY" } });
    await eventually(async () => expect((await podOf(id))?.metadata.deletionTimestamp).toBeDefined(), 30);
    // Asked to end and not heard of since: it is never taken for gone.
    await eventually(async () => {
      expect((await api.getWorkspace({ params: { id } })).error).toMatchObject({ reason: "Unreachable" });
    }, 120);
    expect((await podOf(id))?.metadata.uid).toBe(pod?.metadata.uid);

    await expect(api.declareNodeOff({ params: { id }, body: { confirm: "another" } })).rejects.toMatchObject({
      code: "NODE_MISMATCH",
    });
    await api.declareNodeOff({ params: { id }, body: { confirm: node } });
    await eventually(async () => expect(await podOf(id)).toBeNull(), 60);
    await reaches(id, "STANDBY");
    expect(await toldOf(id)).toEqual(expect.arrayContaining(["request node_off", "container_given_up node_off"]));
    const audit = (await api.listAudit({ query: { kind: "request" } })).items;
    expect(audit.find(({ workspace_id }) => workspace_id === id)).toMatchObject({ details: { node } });

    // The cluster takes the disk off a dead node after minutes, or when it is told the same.
    const effect = { key: "node.kubernetes.io/out-of-service", value: "off", effect: "NoExecute" };
    await taint(node, [effect]);
    await api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    await reaches(id, "RUNNING", 120);
    expect((await podOf(id))?.spec.nodeName).not.toBe(node);
    expect(await inside(id, "cat ~/file")).toEqual({ code: 0, text: "kept\n" });
    // The word was for one pod: the next one is out of its reach, also for whoever repeats it.
    const later = await podOf(id);
    const { runtime } = plane.harness.as(later?.metadata.labels?.["codehub/deployment"] ?? "");
    await runtime.giveUp({ container: `ws-${id}/${pod?.metadata.uid}`, node });
    await expect(
      runtime.giveUp({ container: `ws-${id}/${later?.metadata.uid}`, node: later?.spec.nodeName ?? "" }),
    ).rejects.toMatchObject({ fields: { failure: "node_answers" } });
    expect((await podOf(id))?.metadata.uid).toBe(later?.metadata.uid);
  }, 500_000);
});

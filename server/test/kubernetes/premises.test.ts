import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ANYWHERE } from "#adapters/kubernetes/pod-parts.ts";
import { PolicyProbe } from "#adapters/kubernetes/policy-probe.ts";
import { egressTo } from "#adapters/kubernetes/policy-reach.ts";
import { type NetworkPolicy, Premises } from "#adapters/kubernetes/premises.ts";
import { type StorageCheckOptions, storageProblem } from "#adapters/kubernetes/storage-check.ts";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import { JOB_IMAGE, type KubernetesHarness, kubernetesHarness } from "./kubernetes-harness.ts";

const cluster = inject("cluster");

/** What a cluster must be able to, tried with pods and claims that are gone afterwards. */
describe.skipIf(cluster === null)("what is tried before anything is started", () => {
  let harness: KubernetesHarness;
  beforeAll(async () => {
    if (cluster !== null) harness = await kubernetesHarness(cluster);
  });
  afterAll(async () => {
    await harness?.close();
  });

  const letIn = (): object => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "let-in" },
    spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{}] },
  });

  it("a cluster that does not hold pods to the policies starts none, and says what to do", {
    concurrent: false,
  }, async () => {
    const { client, admin, namespace, deploymentId, pods } = harness;
    const probe = new PolicyProbe({ deploymentId, jobImage: JOB_IMAGE, placement: ANYWHERE, pods });
    let tries = 0;
    const counted = {
      isEnforced: (owner: Parameters<PolicyProbe["isEnforced"]>[0]) => {
        tries++;
        return probe.isEnforced(owner);
      },
    };
    const premises = new Premises(client, namespace, counted);
    const [owner] = await Promise.all([premises.require(), premises.require()]);
    expect(owner.name).toBe("codehub");
    await premises.require();
    expect(tries).toBe(1);

    // Policies only ever add up: one of somebody else's that lets everybody in is the same as none.
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
    const made = await admin.create<{ metadata: { uid: string } }>(path, letIn());
    const later = new Premises(client, namespace, probe);
    await expect(later.require()).rejects.toMatchObject({
      reason: "ActionFailed",
      message: expect.stringMatching(/does not hold pods.*KUBERNETES_NETWORK_POLICIES=unenforced/s),
    });
    // Known without another pod, until it is time to look again.
    await expect(later.require()).rejects.toThrow(/does not hold pods/);
    // An operator who knows it and accepts it.
    await expect(new Premises(client, namespace, null).require()).resolves.toMatchObject({ name: "codehub" });
    await admin.remove(`${path}/let-in`, made.metadata.uid);
    expect(await pods.list({})).toEqual([]);
  });

  it("a policy that lacks what is listed is told with what to do; one that opens the control plane starts nothing", {
    concurrent: false,
  }, async () => {
    const { client, admin, namespace } = harness;
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/codehub-workspaces`;
    const { networks } = parseAllowedNetworks("10.20.0.0/16:443,udp:10.30.1.8:123,[fd00:12::7]:8000-8100");
    const premises = (address: string) =>
      new Premises(client, namespace, null, { allowed: networks, controlPlane: async () => [{ address, port: 443 }] });
    const before = premises("10.96.0.1");
    await before.require();
    expect(before.lacking).toContain("do not reach 10.20.0.0/16:443, udp:10.30.1.8:123, [fd00:12::7]:8000-8100");
    expect(before.lacking).toContain("codehub kubernetes print");

    const policy = await admin.read<NetworkPolicy>(path);
    const egress = [...(policy?.spec.egress ?? []), ...networks.map(egressTo)];
    await admin.patch(path, { spec: { egress } });
    const after = premises("10.96.0.1");
    await after.require();
    expect(after.lacking).toBeNull();
    await expect(premises("10.20.0.1").require()).rejects.toMatchObject({
      reason: "ActionFailed",
      message: expect.stringMatching(/lets workspaces reach 10\.20\.0\.1 at port 443.*no pod is started/s),
    });
    await admin.patch(path, { spec: { egress: policy?.spec.egress ?? [] } });
  });

  it("storage that cannot be used is told in words, and nothing is left of the try", {
    concurrent: false,
  }, async () => {
    const { client, admin, namespace, deploymentId, pods, jobs } = harness;
    const options: StorageCheckOptions = {
      cluster: client,
      namespace,
      deploymentId,
      pods,
      jobs,
      storageClass: null,
      sizeBytes: 64 * 2 ** 20,
      accessMode: "ReadWriteOncePod",
    };
    expect(await storageProblem(options)).toBeNull();
    const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    expect(await admin.list(claims, {})).toEqual([]);
    // Whoever may read the classes, as an operator can allow it, is told before anything is made.
    expect(await storageProblem({ ...options, cluster: admin, storageClass: "fast" })).toMatch(
      /There is no storage class fast: .* one of .*standard/,
    );
    expect(await admin.list(claims, {})).toEqual([]);
  });
});

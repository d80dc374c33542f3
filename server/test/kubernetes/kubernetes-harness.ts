import { randomUUID } from "node:crypto";
import { kubeconfigAccess } from "#adapters/kubernetes/access.ts";
import { means } from "#adapters/kubernetes/answers.ts";
import { Cluster } from "#adapters/kubernetes/cluster.ts";
import { JobPods } from "#adapters/kubernetes/job-pods.ts";
import { clusterObjects } from "#adapters/kubernetes/manifests.ts";
import type { Claim } from "#adapters/kubernetes/objects.ts";
import { ANYWHERE } from "#adapters/kubernetes/pod-parts.ts";
import { Pods, parseContainerId } from "#adapters/kubernetes/pods.ts";
import { Premises } from "#adapters/kubernetes/premises.ts";
import { KubernetesRuntime } from "#adapters/kubernetes/runtime.ts";
import { KubernetesVolumes } from "#adapters/kubernetes/volumes.ts";
import type { AllowedNetwork } from "#core/reach/reach.ts";
import { volumeName } from "#core/rows/names.ts";
import { ask, runInside } from "../runtime/ask.ts";
import type { RuntimeHarness } from "../suites/runtime-suite.ts";
import { processesWith } from "../suites/traces.ts";
import type { TestCluster } from "./private-cluster.ts";

export const JOB_IMAGE = "codehub-test/job:latest";
export const FAKE_IMAGE = "codehub-test/fake:latest";
const MEBIBYTE = 1024 * 1024;

export interface KubernetesHarness extends RuntimeHarness {
  readonly runtime: KubernetesRuntime;
  readonly volumes: KubernetesVolumes;
  readonly pods: Pods;
  readonly jobs: JobPods;
  /** With all rights, which the code under test does not have. */
  readonly admin: Cluster;
  /** With the rights of the printed Role, and how another program gets them. */
  readonly client: Cluster;
  readonly kubeconfig: object;
  /** An address of this machine that pods may reach, as far as their policies let them. */
  readonly host: string;
  readonly namespace: string;
  readonly deploymentId: string;
  /** The same for another deployment or another server. */
  readonly as: (deploymentId: string) => { runtime: KubernetesRuntime; volumes: KubernetesVolumes };
}

const PATHS: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ConfigMap: "/api/v1/namespaces/NS/configmaps",
  ServiceAccount: "/api/v1/namespaces/NS/serviceaccounts",
  NetworkPolicy: "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings",
};

/**
 * A namespace of its own, made by what CodeHub prints for an operator. The code under test is the printed service account
 * with the printed Role: what that does not allow does not work here either.
 */
export async function kubernetesHarness(
  cluster: TestCluster,
  storageClass: string | null = null,
  storeNetworks: readonly string[] | null = null,
  allowedNetworks: readonly AllowedNetwork[] = [],
): Promise<KubernetesHarness> {
  const access = await kubeconfigAccess(cluster.kubeconfig);
  const admin = new Cluster(access);
  const namespace = `codehub-${randomUUID().slice(0, 8)}`;
  const deploymentId = randomUUID();
  const host = new URL(access.server).hostname;
  const servers = cluster.dir === null ? ["0.0.0.0/0"] : [`${host}/32`];
  const objects = clusterObjects({
    namespace,
    serverNamespace: null,
    serverNetworks: servers,
    storeNetworks: storeNetworks ?? [`${host}/32`],
    allowedNetworks,
  });
  for (const object of objects as readonly { kind: string }[]) {
    const path = PATHS[object.kind];
    if (path === undefined) throw new Error(`no path for ${object.kind}`);
    await admin.create(path.replace("NS", namespace), object);
  }
  const { status } = await admin.create<{ status: { token: string } }>(
    `/api/v1/namespaces/${namespace}/serviceaccounts/codehub/token`,
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  );
  const { cert: _, key: __, ...tls } = access.tls;
  const client = new Cluster({ server: access.server, tls, token: () => status.token }, 10_000);

  const as = (id: string) => {
    const pods = new Pods(client, namespace, id);
    const premises = new Premises(client, namespace, null);
    const common = { cluster: client, namespace, deploymentId: id, pods };
    const jobs = new JobPods({ deploymentId: id, jobImage: JOB_IMAGE, placement: ANYWHERE }, pods, premises);
    const volumes = new KubernetesVolumes({
      ...common,
      jobs,
      storageClass,
      sizeBytes: 64 * MEBIBYTE,
      accessMode: "ReadWriteOncePod",
    });
    const runtime = new KubernetesRuntime({
      ...common,
      premises,
      volumes,
      placement: ANYWHERE,
      jobImage: JOB_IMAGE,
      requests: { cpus: 0.05, memoryBytes: 64 * MEBIBYTE },
      limits: { cpus: 1, memoryBytes: 256 * MEBIBYTE },
      graceSeconds: 10,
      workspaceCommand: ["node", "/fake-ide.mjs", "8080"],
      imageAllowlist: ["codehub-test/*", "127.0.0.1:1/*", "registry.test:5001/*"],
    });
    return { runtime, volumes, pods, jobs };
  };
  const { runtime, volumes, pods, jobs } = as(deploymentId);
  return {
    runtime,
    volumes,
    pods,
    jobs,
    admin,
    client,
    kubeconfig: kubeconfigOf(access.server, tls.ca ?? "", status.token),
    host,
    namespace,
    deploymentId,
    as,
    imageRef: FAKE_IMAGE,
    restarted: async () => as(deploymentId).runtime,
    stranger: async () => as(randomUUID()).runtime,
    makeVolume: async (workspaceId, attempt, sealed = true) => {
      const name = volumeName(workspaceId, attempt);
      if (!(await volumes.create({ name, workspaceId, attempt }))) throw new Error(`${name} exists`);
      if (sealed) await volumes.seal(name, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
      return name;
    },
    volumeExists: async (name) =>
      (await admin.read<Claim>(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`)) !== null,
    hostPort: async () => null,
    exit: async (container, code) => {
      await ask(container, "/exit", { code: String(code) }).catch(() => undefined);
    },
    ignoreStop: async (container) => {
      await ask(container, "/ignore-stop");
    },
    exhaust: async (container) => {
      await ask(container, "/exhaust");
    },
    say: async (container, command) => (await runInside(container, command)).text,
    print: async (container, lines) => {
      await ask(container, "/print", { lines: String(lines) });
    },
    listen: async (container, host) => Number(await ask(container, "/listen", host === undefined ? {} : { host })),
    quiet: async (container) => {
      await ask(container, "/quiet");
    },
    traces: async ({ id }, text) => {
      const pod = await pods.find(parseContainerId(id));
      // With all rights: the code under test may not look.
      const secrets = await admin.list<{ metadata: { name: string }; data?: Record<string, string> }>(
        `/api/v1/namespaces/${namespace}/secrets`,
        {},
      );
      const holds = ({ data = {} }: (typeof secrets)[number]): boolean =>
        Object.values(data).some((value) => Buffer.from(value, "base64").includes(text));
      const told = JSON.stringify(pod).includes(text) ? ["the pod"] : [];
      return [...told, ...secrets.filter(holds).map(({ metadata }) => metadata.name), ...processesWith(text)];
    },
    close: async () => {
      // All at once: each goes through the same steps of the cluster, and nobody is in another's way.
      await Promise.all((await pods.list({})).map(({ metadata }) => pods.remove(metadata, 1)));
      await Promise.all((await volumes.list()).map(({ name }) => volumes.remove(name)));
      const found = await admin.read<{ metadata: { uid: string } }>(`/api/v1/namespaces/${namespace}`);
      await admin.remove(`/api/v1/namespaces/${namespace}`, found?.metadata.uid ?? "").catch((error: unknown) => {
        if (!means(error, "absent")) throw error;
      });
    },
  };
}

const kubeconfigOf = (server: string, ca: string, token: string): object => ({
  "current-context": "test",
  contexts: [{ name: "test", context: { cluster: "test", user: "codehub" } }],
  clusters: [{ name: "test", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
  users: [{ name: "codehub", user: { token } }],
});

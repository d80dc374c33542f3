import { join } from "node:path";
import { describe, inject } from "vitest";
import { KubernetesJobLauncher } from "#adapters/kubernetes/jobs.ts";
import { DEPLOYMENT } from "#adapters/kubernetes/labels.ts";
import type { Claim, Meta } from "#adapters/kubernetes/objects.ts";
import { ANYWHERE, MEBIBYTE, UID } from "#adapters/kubernetes/pod-parts.ts";
import { Premises } from "#adapters/kubernetes/premises.ts";
import { KubernetesSetupLauncher } from "#adapters/kubernetes/setup-jobs.ts";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import { SetupJobRunner } from "#jobs/setup-jobs.ts";
import { gitAvailable } from "../git/repositories.ts";
import { sshdAvailable } from "../git/ssh-server.ts";
import { type SetupJobsHarness, setupJobsSuite } from "../suites/setup-jobs-suite.ts";
import { setupKillSuite } from "../suites/setup-kill-suite.ts";
import { JOB_IMAGE, kubernetesHarness } from "./kubernetes-harness.ts";
import { addressOf, type TestCluster } from "./private-cluster.ts";

const cluster = inject("cluster");
const LONGEST_SECONDS = 900;

async function make(found: TestCluster, address: string, ports: readonly number[]): Promise<SetupJobsHarness> {
  const { networks } = parseAllowedNetworks(ports.map((port) => `${address}:${port}`).join(","));
  const harness = await kubernetesHarness(found, null, null, networks);
  const { volumes, pods, jobs, client: cluster, admin, namespace, deploymentId } = harness;
  const common = {
    cluster,
    namespace,
    deploymentId,
    pods,
    volumes,
    jobImage: JOB_IMAGE,
    longestSeconds: LONGEST_SECONDS,
  };
  const launcher = new KubernetesJobLauncher({ ...common, jobs, storeCa: null });
  const amounts = { cpus: 1, memoryBytes: 256 * MEBIBYTE };
  const premises = new Premises(cluster, namespace, null);
  const placed = { placement: ANYWHERE, requests: { ...amounts, cpus: 0.05 }, limits: amounts };
  const disks = new Map<string, string>();
  const create: typeof volumes.create = async (spec) => {
    const made = await volumes.create(spec);
    const claim = await admin.read<Claim>(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${spec.name}`);
    disks.set(spec.name, claim?.spec?.volumeName ?? "");
    return made;
  };
  return {
    setup: new SetupJobRunner(new KubernetesSetupLauncher({ ...common, ...placed, premises, jobs: launcher })),
    jobs: launcher,
    volumes: new Proxy(volumes, {
      get: (target, name) => {
        const value: unknown = name === "create" ? create : Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    homePath: (volume) => join(found.dir ?? "", "volumes", disks.get(volume) ?? "unknown", "data/home"),
    hostPort: async () => null,
    uid: async () => UID,
    left: async () => {
      const listed = await Promise.all(
        ["pods", "secrets"].map((kind) =>
          admin.listed<{ metadata: Meta }, string>(
            `/api/v1/namespaces/${namespace}/${kind}`,
            { [DEPLOYMENT]: deploymentId },
            ({ metadata }) => metadata.name,
          ),
        ),
      );
      return listed.flat();
    },
    close: harness.close,
  };
}

// A test looks into the disks, so the cluster has to be on this machine.
describe.skipIf(cluster === null || cluster.dir === null || !gitAvailable() || !sshdAvailable())(
  "on Kubernetes",
  () => {
    if (cluster === null) return;
    const address = addressOf(cluster);
    // What git itself does is the same in every container; all of it by hand: TEST_EVERY_CASE=1.
    const everyCase = process.env["TEST_EVERY_CASE"] !== undefined;
    setupJobsSuite("kubernetes", address, (ports) => make(cluster, address, ports), { everyCase });
    setupKillSuite("kubernetes", address, (ports) => make(cluster, address, ports));
  },
);

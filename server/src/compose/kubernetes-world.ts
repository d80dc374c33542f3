import fs from "node:fs";
import { type ClusterAccess, inClusterAccess, kubeconfigAccess } from "#adapters/kubernetes/access.ts";
import { Cluster } from "#adapters/kubernetes/cluster.ts";
import { JobPods } from "#adapters/kubernetes/job-pods.ts";
import { KubernetesJobLauncher } from "#adapters/kubernetes/jobs.ts";
import { Pods } from "#adapters/kubernetes/pods.ts";
import { PolicyProbe } from "#adapters/kubernetes/policy-probe.ts";
import { Premises, tellOfPremises } from "#adapters/kubernetes/premises.ts";
import { KubernetesRuntime } from "#adapters/kubernetes/runtime.ts";
import { KubernetesSetupLauncher } from "#adapters/kubernetes/setup-jobs.ts";
import { tellOfStorage } from "#adapters/kubernetes/storage-check.ts";
import { KubernetesVolumes } from "#adapters/kubernetes/volumes.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import type { EngineSeen } from "#core/doctor/judge-engine.ts";
import { SetupJobRunner } from "#jobs/setup-jobs.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { World } from "#ports/world.ts";
import { reachOf } from "./reach.ts";
import { allowedImages } from "./settings.ts";
import type { WorldParts } from "./world.ts";

/** How long a storage job may take at most: its addresses are good for that long. */
const LONGEST_JOB_SECONDS = 6 * 3_600;

async function accessOf(config: Config): Promise<ClusterAccess> {
  if (config.KUBERNETES_KUBECONFIG !== null) return await kubeconfigAccess(config.KUBERNETES_KUBECONFIG);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  const access = host === null ? null : inClusterAccess({ host, port });
  if (access !== null) return access;
  throw new Error(
    "RUNTIME=kubernetes: this process is no pod of a cluster, or has no service account's token. Run it in the cluster with " +
      "the service account codehub (automountServiceAccountToken: true), or set KUBERNETES_KUBECONFIG.",
  );
}

/** Asks the cluster for the namespace and for what must be in it. No pod is started for it. */
export async function lookAtCluster(config: Config): Promise<Pick<EngineSeen, "trouble" | "id" | "firewall">> {
  const namespace = config.KUBERNETES_NAMESPACE;
  try {
    const cluster = new Cluster(await accessOf(config));
    const found = await cluster.read<{ metadata: { uid: string } }>(`/api/v1/namespaces/${namespace}`);
    if (found === null) throw new Error(`The cluster has no namespace ${namespace}`);
    const premises = new Premises(cluster, namespace, null, reachOf(config));
    const said = await premises.require().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    return { trouble: null, id: found.metadata.uid, firewall: { trouble: said, lacking: premises.lacking } };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { trouble: { code: "", said }, id: null, firewall: null };
  }
}

export async function kubernetesWorld({ config, deploymentId, archives, portUrl, logger }: WorldParts): Promise<World> {
  const cluster = new Cluster(await accessOf(config));
  const namespace = config.KUBERNETES_NAMESPACE;
  const jobImage = config.JOB_IMAGE;
  const placement = {
    pullSecrets: config.KUBERNETES_PULL_SECRETS,
    nodeSelector: config.KUBERNETES_NODE_SELECTOR,
    tolerations: config.KUBERNETES_TOLERATIONS,
    priorityClass: config.KUBERNETES_PRIORITY_CLASS,
  };
  const pods = new Pods(cluster, namespace, deploymentId);
  const isProbed = config.KUBERNETES_NETWORK_POLICIES === "enforced";
  const probe = isProbed ? new PolicyProbe({ deploymentId, jobImage, placement, pods }) : null;
  const premises = new Premises(cluster, namespace, probe, reachOf(config));
  const jobs = new JobPods({ deploymentId, jobImage, placement }, pods, premises);
  const common = { cluster, namespace, deploymentId, pods, jobs };
  const homes = {
    ...common,
    storageClass: config.KUBERNETES_STORAGE_CLASS,
    sizeBytes: config.KUBERNETES_HOME_SIZE,
    accessMode: config.KUBERNETES_ACCESS_MODE,
  };
  const volumes = new KubernetesVolumes(homes);
  if (logger !== undefined) void tellOfPremises(premises, logger).then(() => tellOfStorage(homes, logger));
  const amounts = {
    requests: { cpus: config.KUBERNETES_REQUEST_CPUS, memoryBytes: config.KUBERNETES_REQUEST_MEMORY },
    limits: { cpus: config.WORKSPACE_CPUS, memoryBytes: config.WORKSPACE_MEMORY },
  };
  const runtime = new KubernetesRuntime({
    ...common,
    premises,
    volumes,
    placement,
    jobImage,
    ...amounts,
    graceSeconds: config.STOP_GRACE_SECONDS,
    workspaceCommand: config.KUBERNETES_WORKSPACE_COMMAND.trim().split(/\s+/),
    imageAllowlist: allowedImages(config),
    ...(portUrl === undefined ? {} : { portUrl }),
  });
  const launcher = new KubernetesJobLauncher({
    ...common,
    volumes,
    jobImage,
    longestSeconds: LONGEST_JOB_SECONDS,
    storeCa: config.S3_CA_FILE === null ? null : fs.readFileSync(config.S3_CA_FILE, "utf8"),
  });
  const setup = new KubernetesSetupLauncher({
    ...{ ...common, ...amounts, premises, volumes, placement, jobImage },
    longestSeconds: LONGEST_JOB_SECONDS,
    jobs: launcher,
  });
  return {
    runtime,
    volumes,
    archives,
    jobs: new StorageJobRunner({ store: archives, launcher, clock, ids }),
    setup: new SetupJobRunner(setup),
  };
}

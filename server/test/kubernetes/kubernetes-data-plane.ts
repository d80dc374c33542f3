import { join } from "node:path";
import { KubernetesJobLauncher } from "#adapters/kubernetes/jobs.ts";
import type { Claim } from "#adapters/kubernetes/objects.ts";
import { openS3Store } from "#adapters/s3/archives.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import type { AllowedNetwork } from "#core/reach/reach.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import { fingerprint } from "../data/fingerprint.ts";
import { fillHome } from "../data/process-harness.ts";
import { freshBucket, type S3Access } from "../data/s3-server.ts";
import { giveAll } from "../data/zoo.ts";
import type { RoundTripHarness } from "../suites/home-round-trip-suite.ts";
import { JOB_IMAGE, kubernetesHarness } from "./kubernetes-harness.ts";
import { openPassage, type Passage } from "./passage.ts";
import type { TestCluster } from "./private-cluster.ts";

/** The one account of everything in the namespace. */
const OWNER = 1000;

/** The S3 server of the run listens on loopback, which pods do not reach: the same at the address of the nodes' network. */
export async function reachable(access: S3Access, host: string): Promise<{ access: S3Access; passage: Passage }> {
  const { hostname, port } = new URL(access.endpoint);
  const passage = await openPassage(host, () => ({ host: hostname, port: Number(port) }));
  return { access: { ...access, endpoint: `http://${host}:${passage.port}` }, passage };
}

export interface KubernetesDataPlane extends RoundTripHarness {
  readonly launcher: KubernetesJobLauncher;
  readonly harness: Awaited<ReturnType<typeof kubernetesHarness>>;
  /** The S3 server, where both this process and pods reach it. */
  readonly access: S3Access;
}

/** Volumes and storage jobs on a cluster of the run's own, whose disks a test may look into without the code under test. */
export async function kubernetesDataPlane(
  cluster: TestCluster,
  s3: S3Access,
  allowedNetworks: readonly AllowedNetwork[] = [],
): Promise<KubernetesDataPlane> {
  const harness = await kubernetesHarness(cluster, null, null, allowedNetworks);
  const { volumes, pods, jobs, client, namespace, deploymentId, host } = harness;
  const { access, passage } = await reachable(s3, host);
  const store = await openS3Store(await freshBucket(access, deploymentId));
  const launcher = new KubernetesJobLauncher({
    cluster: client,
    namespace,
    pods,
    jobs,
    volumes,
    jobImage: JOB_IMAGE,
    longestSeconds: 900,
    storeCa: null,
  });
  const disks = new Map<string, string>();
  const homePath = (volume: string): string =>
    join(cluster.dir ?? "", "volumes", disks.get(volume) ?? "unknown", "data/home");
  const create: typeof volumes.create = async (spec) => {
    const made = await volumes.create(spec);
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${spec.name}`;
    disks.set(spec.name, (await harness.admin.read<Claim>(path))?.spec?.volumeName ?? "");
    return made;
  };
  return {
    harness,
    access,
    launcher,
    host,
    volumes: new Proxy(volumes, {
      get: (target, name) => {
        const value: unknown = name === "create" ? create : Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    store,
    jobs: (used: ArchiveStore) => new StorageJobRunner({ store: used, launcher, clock, ids }),
    homePath,
    owner: OWNER,
    fill: async (volume) => {
      fillHome(homePath(volume));
      giveAll(homePath(volume), OWNER);
    },
    fingerprint: async (volume) => fingerprint(homePath(volume)),
    close: async () => {
      await harness.close();
      store.close();
      await passage[Symbol.asyncDispose]();
    },
  };
}

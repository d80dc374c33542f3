import type { Logger } from "#ports/logger.ts";
import { means } from "./answers.ts";
import { type Cluster, pause } from "./cluster.ts";
import type { JobPods } from "./job-pods.ts";
import { DEPLOYMENT, labelsOf, ROLE } from "./labels.ts";
import type { Claim } from "./objects.ts";
import type { Pods } from "./pods.ts";

export interface StorageCheckOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly deploymentId: string;
  readonly pods: Pick<Pods, "lastEvent">;
  readonly jobs: JobPods;
  readonly storageClass: string | null;
  readonly sizeBytes: number;
  readonly accessMode: string;
}

interface StorageClass {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
const PROBE = "probe";
const GOING_MS = 60_000;

/**
 * Why no home could be made here, in words; null when one can. A home that is there with the same class and mode is proof
 * enough; without one a claim is made, mounted once and taken away, because a driver that cannot says so only then.
 */
export async function storageProblem(options: StorageCheckOptions): Promise<string | null> {
  const missing = await missingClass(options);
  if (missing !== null) return missing;
  if (await hasSuchHome(options)) return null;
  const { cluster, namespace, deploymentId, jobs, pods, storageClass, accessMode } = options;
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const name = `codehub-${PROBE}-${deploymentId.slice(0, 8)}`;
  const body = probeClaim(name, options);
  const claim = await cluster.create<Claim>(path, body).catch(async (error: unknown) => {
    if (means(error, "exists")) return await cluster.read<Claim>(`${path}/${name}`);
    throw error;
  });
  const { uid = "" } = claim?.metadata ?? {};
  try {
    const at = { name, access: "write" } as const;
    const container = { command: ["/bin/sh", "-c", "echo tried > /volume/tried"] };
    const labels = { workspaceId: PROBE, attempt: PROBE, token: deploymentId.slice(0, 8) };
    const { code, message } = await jobs.run({ kind: "storage", ...labels, claim: at, container });
    return code === 0 ? null : `A new claim could not be written to: ${message}`;
  } catch (error) {
    const event = await pods.lastEvent({ name, uid }).catch(() => null);
    const what = `A claim of class ${storageClass ?? "(the default)"} with ${accessMode} could not be used`;
    return `${what}: ${event?.message ?? (error as Error).message} See KUBERNETES_STORAGE_CLASS and KUBERNETES_ACCESS_MODE.`;
  } finally {
    await cluster.remove(`${path}/${name}`, uid);
    await gone(cluster, `${path}/${name}`, uid);
  }
}

function probeClaim(name: string, { deploymentId, storageClass, sizeBytes, accessMode }: StorageCheckOptions): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    // Not a home: it has no finalizer, and goes with `kubectl delete`.
    metadata: { name, labels: labelsOf({ deploymentId, role: PROBE, workspaceId: PROBE, attempt: PROBE }) },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: String(sizeBytes) } },
      ...(storageClass === null ? {} : { storageClassName: storageClass }),
    },
  };
}

async function gone(cluster: Cluster, path: string, uid: string): Promise<void> {
  const limit = AbortSignal.timeout(GOING_MS);
  while (!limit.aborted && (await cluster.read<Claim>(path))?.metadata.uid === uid) await pause(200, limit);
}

async function hasSuchHome(options: StorageCheckOptions): Promise<boolean> {
  const { cluster, namespace, deploymentId, storageClass, accessMode } = options;
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const homes = await cluster.list<Claim>(path, { [DEPLOYMENT]: deploymentId, [ROLE]: "home" });
  return homes.some(({ spec, status }) => {
    const sameClass = storageClass === null || spec?.storageClassName === storageClass;
    return status?.phase === "Bound" && sameClass && spec?.accessModes?.includes(accessMode) === true;
  });
}

/** Classes are the whole cluster's, which our Role says nothing about: where they may not be read, trying tells. */
async function missingClass({ cluster, storageClass }: StorageCheckOptions): Promise<string | null> {
  let found: StorageClass[];
  try {
    found = await cluster.list<StorageClass>(CLASSES, {});
  } catch {
    return null;
  }
  const names = found.map(({ metadata }) => metadata.name);
  if (storageClass !== null) {
    if (names.includes(storageClass)) return null;
    return `There is no storage class ${storageClass}: KUBERNETES_STORAGE_CLASS may be one of ${names.join(", ")}.`;
  }
  if (found.some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true")) return null;
  return `The cluster has no default storage class: set KUBERNETES_STORAGE_CLASS to one of ${names.join(", ")}.`;
}

/** At start, beside it: whoever looks into the log learns what the first workspace would have met. */
export async function tellOfStorage(options: StorageCheckOptions, logger: Logger): Promise<void> {
  try {
    const problem = await storageProblem(options);
    if (problem !== null) logger.error({ problem }, "no home can be made on this cluster");
  } catch (error) {
    logger.warn({ error: String(error) }, "the storage of the cluster could not be tried");
  }
}

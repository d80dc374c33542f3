import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Cluster } from "#adapters/kubernetes/cluster.ts";
import { HOME_FINALIZER, IDENTITY, labelsOf } from "#adapters/kubernetes/labels.ts";
import type { Claim, Pod } from "#adapters/kubernetes/objects.ts";
import type { Placement, podObject } from "#adapters/kubernetes/pod-parts.ts";
import { Pods } from "#adapters/kubernetes/pods.ts";
import { Premises } from "#adapters/kubernetes/premises.ts";
import { encodeIdentity } from "#adapters/kubernetes/volumes.ts";
import { IDE_PORT, workspacePod } from "#adapters/kubernetes/workspace-pod.ts";
import { volumeName } from "#core/rows/names.ts";

export interface Seeded {
  readonly id: string;
  readonly attempt: string;
  readonly volume: string;
  readonly runs: boolean;
}

const AT_ONCE = 24;
const PODS_PER_NODE = 1_000;
const CLASS = "fleet";
const TAINT = "kwok.x-k8s.io/node";
/** Where the fleet is, for those who seed it and for the coordinator. */
export const PLACEMENT: Placement = {
  pullSecrets: [],
  nodeSelector: { type: "kwok" },
  tolerations: [{ key: TAINT, operator: "Exists" }],
  priorityClass: null,
};
export const SIZES = {
  requests: { cpus: 0.01, memoryBytes: 16 * 2 ** 20 },
  limits: { cpus: 1, memoryBytes: 256 * 2 ** 20 },
};

export interface Fleet {
  readonly admin: Cluster;
  readonly namespace: string;
  readonly deploymentId: string;
  readonly imageRef: string;
  readonly jobImage: string;
}

/** Nodes, bound claims and pods that run, as a coordinator would have left them; nine of ten workspaces run. */
export async function seedCluster(fleet: Fleet, count: number): Promise<readonly Seeded[]> {
  const { admin, namespace } = fleet;
  const nodes = Math.ceil(count / PODS_PER_NODE) + 1;
  for (let node = 0; node < nodes; node++) await admin.create("/api/v1/nodes", nodeObject(`${namespace}-${node}`));
  const all = Array.from({ length: count }, (_, index): Seeded => {
    const [id, attempt] = [randomUUID(), randomUUID()];
    return { id, attempt, volume: volumeName(id, attempt), runs: index % 10 !== 0 };
  });
  const owner = await new Premises(admin, namespace, null).require();
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await inParallel(all, async (one, index) => {
    await boundClaim(fleet, one);
    if (!one.runs) return;
    const spec = { workspaceId: one.id, attempt: one.attempt, volume: one.volume, imageRef: fleet.imageRef };
    const body = workspacePod(
      { ...spec, ownerId: "", hostPort: null },
      {
        ...{ deploymentId: fleet.deploymentId, jobImage: fleet.jobImage, owner, placement: PLACEMENT, ...SIZES },
        ...{ graceSeconds: 10, portUrl: null, identity: encodeIdentity(identityOf(one)) },
      },
    ) as ReturnType<typeof podObject> & { spec: object };
    // Straight to its node: the scheduler is not what is measured.
    await admin.create(path, { ...body, spec: { ...body.spec, nodeName: `${namespace}-${index % nodes}` } });
  });
  return all;
}

const identityOf = ({ id, attempt }: Seeded) => ({
  workspaceId: id,
  attempt,
  archiveKey: null,
  manifestDigest: null,
});

function nodeObject(name: string): object {
  const room = { cpu: "1000", memory: "4Ti", pods: String(2 * PODS_PER_NODE) };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      annotations: { "kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0" },
      labels: { type: "kwok", "kubernetes.io/hostname": name },
    },
    spec: { taints: [{ key: TAINT, value: "fake", effect: "NoSchedule" }] },
    status: { allocatable: room, capacity: room },
  };
}

/** With its disk and everything that the cluster would write: it has twenty of its own writes a second, and so 10,000 would take an hour. */
async function boundClaim({ admin, namespace, deploymentId }: Fleet, one: Seeded): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const [capacity, accessModes] = [{ storage: "1Gi" }, ["ReadWriteOncePod"]];
  const labels = labelsOf({ deploymentId, role: "home", workspaceId: one.id, attempt: one.attempt });
  const bound = { "pv.kubernetes.io/bind-completed": "yes" };
  const claim = await admin.create<Claim>(path, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: one.volume,
      labels,
      finalizers: [HOME_FINALIZER],
      annotations: { ...bound, [IDENTITY]: encodeIdentity(identityOf(one)) },
    },
    spec: { accessModes, resources: { requests: capacity }, storageClassName: CLASS, volumeName: one.volume },
  });
  const { uid } = claim.metadata;
  await admin.create("/api/v1/persistentvolumes", {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: one.volume },
    spec: {
      ...{ capacity, accessModes, storageClassName: CLASS, persistentVolumeReclaimPolicy: "Retain" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: one.volume, uid },
      hostPath: { path: "/nowhere" },
    },
  });
  await admin.patch(`/api/v1/persistentvolumes/${one.volume}/status`, { status: { phase: "Bound" } });
  await admin.patch(`${path}/${one.volume}/status`, { status: { phase: "Bound", capacity, accessModes } });
}

/** Looked at until every pod runs on its node and has an address. */
export async function untilAllRun(fleet: Fleet, expected: number, limitMs: number): Promise<readonly Pod[]> {
  const pods = new Pods(fleet.admin, fleet.namespace, fleet.deploymentId);
  for (const deadline = performance.now() + limitMs; ; ) {
    const found = await pods.list({});
    const running = found.filter(({ status }) => status?.phase === "Running" && status.podIP !== undefined);
    if (running.length === expected) return running;
    if (performance.now() > deadline) throw new Error(`only ${running.length} of ${expected} pods run`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

/** The rows of that fleet, all settled and known. */
export async function seedRows(url: string, fleet: Fleet, all: readonly Seeded[], pods: readonly Pod[]): Promise<void> {
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const rows = all.map(({ id, attempt, volume, runs }) => {
    const pod = byName.get(`ws-${id}`);
    if (runs !== (pod !== undefined)) throw new Error(`the pod of ${id} is not as it should be`);
    const mac = pod?.metadata.uid ?? "";
    const address = { kind: "tcp", host: pod?.status?.podIP ?? "", port: IDE_PORT, mac };
    const endpoint = runs ? { container_id: `ws-${id}/${mac}`, attempt, address } : null;
    return { id, attempt, volume, phase: runs ? "RUNNING" : "STANDBY", endpoint };
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const owner = randomUUID();
    const values = JSON.stringify(rows);
    await client.query("INSERT INTO users (id, username, password_hash, role) VALUES ($1, 'fleet', '-', 'user')", [
      owner,
    ]);
    await client.query(WORKSPACES, [owner, fleet.imageRef, values]);
    await client.query(VOLUMES, [values]);
    await client.query("ANALYZE workspaces, volumes");
  } finally {
    await client.end();
  }
}

const NOW = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const condition = (key: string, status: string): string => `'${key}', jsonb_build_object('status', ${status},
  'reason', 'Bench', 'message', '', 'last_transition_time', ${NOW}, 'checked_at', ${NOW})`;
const FROM = "jsonb_to_recordset($N::jsonb) AS r(id uuid, attempt uuid, volume text, phase text, endpoint jsonb)";
const WORKSPACES = `
INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state, phase, observed_at, home_volume, endpoint, conditions)
SELECT r.id, $1, 'fleet ' || left(r.id::text, 8), $2, r.phase, r.phase, now(), r.volume, nullif(r.endpoint, 'null'),
  jsonb_build_object(${condition("storage.volume_ready", "true")}, ${condition("storage.archive_ready", "false")},
    ${condition("infra.container_ready", "r.phase = 'RUNNING'")}, ${condition("infra.container_present", "r.phase = 'RUNNING'")},
    ${condition("policy.healthy", "true")})
FROM ${FROM.replace("N", "3")}`;
const VOLUMES = `
INSERT INTO volumes (name, workspace_id, attempt, state)
SELECT r.volume, r.id, r.attempt, 'current' FROM ${FROM.replace("N", "1")}`;

async function inParallel<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const rest = items.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, item] of rest) await work(item, index);
    }),
  );
}

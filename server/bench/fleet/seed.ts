import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import type { Cluster } from "#adapters/kubernetes/cluster.ts";
import { HOME_FINALIZER, IDENTITY, labelsOf } from "#adapters/kubernetes/labels.ts";
import type { Claim, Meta, Pod } from "#adapters/kubernetes/objects.ts";
import type { Placement, podObject } from "#adapters/kubernetes/pod-parts.ts";
import { Pods } from "#adapters/kubernetes/pods.ts";
import { Premises } from "#adapters/kubernetes/premises.ts";
import { encodeIdentity } from "#adapters/kubernetes/volumes.ts";
import { IDE_PORT, workspacePod } from "#adapters/kubernetes/workspace-pod.ts";
import { fromConditions } from "#adapters/postgres/rows/workspace-row.ts";
import { fromLists } from "#coordinator/look.ts";
import { volumeName } from "#core/rows/names.ts";
import { judge } from "#core/rules/judge.ts";
import { workspace } from "../../test/fixtures/workspace.ts";
import { etcdOf, store } from "./etcd.ts";

export interface Seeded {
  readonly id: string;
  readonly attempt: string;
  readonly volume: string;
  readonly runs: boolean;
  readonly node: string;
}

const run = promisify(execFile);
const PATTERN_MS = 60_000;
const INTAKE_MS = 300_000;
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
  /** With the programs of the cluster's parts. */
  readonly clusterDir: string;
  readonly deploymentId: string;
  readonly imageRef: string;
  readonly jobImage: string;
}

/**
 * Nodes, bound claims and pods that run, as a coordinator would have left them; nine of ten workspaces run. One is made call by
 * call, and when the cluster has written everything into it, it is the pattern of all others: they are put straight into the
 * cluster's database, because fifty thousand calls take longer than everything that is measured.
 */
export async function seedCluster(fleet: Fleet, count: number): Promise<readonly Seeded[]> {
  const { admin, namespace } = fleet;
  const nodes = Math.ceil(count / PODS_PER_NODE) + 1;
  for (let node = 0; node < nodes; node++) await admin.create("/api/v1/nodes", nodeObject(`${namespace}-${node}`));
  const all = Array.from({ length: count }, (_, index): Seeded => {
    const [id, attempt] = [randomUUID(), randomUUID()];
    const node = `${namespace}-${index % nodes}`;
    return { id, attempt, volume: volumeName(id, attempt), runs: index % 10 !== 9, node };
  });
  const [first, ...others] = all;
  if (first === undefined) return [];
  const pattern = await made(fleet, first);
  const etcd = await etcdOf(fleet.clusterDir);
  // It would take a claim for lost of which it hears before it hears of its disk.
  await part(fleet, "stop", "controller-manager");
  const objects = others.flatMap((one, index) => copyOf(pattern, first, one, index));
  await store(etcd, objects);
  // The API server has to take in all of it first.
  await untilAllRun(fleet, all.filter(({ runs }) => runs).length, INTAKE_MS);
  await part(fleet, "start", "controller-manager");
  return all;
}

const part = ({ clusterDir }: Fleet, verb: "stop" | "start", name: string) =>
  run(join(clusterDir, "part"), [verb, name]);

interface Pattern {
  readonly namespace: string;
  readonly claim: Stored;
  readonly disk: Stored;
  readonly pod: Stored & Pod;
}

interface Stored {
  readonly metadata: Meta;
}

/** The first of them, with its pod running and everything that the cluster adds by itself. */
async function made(fleet: Fleet, one: Seeded): Promise<Pattern> {
  const { admin, namespace } = fleet;
  await boundClaim(fleet, one);
  const owner = await new Premises(admin, namespace, null).require();
  const spec = { workspaceId: one.id, attempt: one.attempt, volume: one.volume, imageRef: fleet.imageRef };
  const body = workspacePod(
    { ...spec, ownerId: "", hostPort: null },
    {
      ...{ deploymentId: fleet.deploymentId, jobImage: fleet.jobImage, owner, placement: PLACEMENT, ...SIZES },
      ...{ graceSeconds: 10, workspaceCommand: [], portUrl: null, identity: encodeIdentity(identityOf(one)) },
    },
  ) as ReturnType<typeof podObject> & { spec: object };
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  // Straight to its node: the scheduler is not what is measured.
  await admin.create(pods, { ...body, spec: { ...body.spec, nodeName: one.node } });
  await untilAllRun(fleet, 1, PATTERN_MS);
  const protectedOne = async (path: string): Promise<Stored> => {
    for (const deadline = performance.now() + PATTERN_MS; performance.now() < deadline; ) {
      const found = await admin.read<Stored>(path);
      if (found?.metadata.finalizers?.some((name) => name.endsWith("-protection"))) return found;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`the cluster does not protect ${path}`);
  };
  const claim = await protectedOne(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${one.volume}`);
  const disk = await protectedOne(`/api/v1/persistentvolumes/${one.volume}`);
  const pod = await admin.read<Stored & Pod>(`${pods}/ws-${one.id}`);
  if (pod === null) throw new Error("the first pod is gone");
  return { namespace, claim, disk, pod };
}

/** The same with its own names, numbers and address. */
function copyOf(pattern: Pattern, first: Seeded, one: Seeded, index: number): [string, string][] {
  const address = `10.98.${Math.floor(index / 250)}.${(index % 250) + 1}`;
  const replaced: [string, string][] = [
    [first.volume, one.volume],
    [first.id, one.id],
    [first.attempt, one.attempt],
    [first.node, one.node],
    [pattern.claim.metadata.uid, randomUUID()],
    [pattern.disk.metadata.uid, randomUUID()],
    [pattern.pod.metadata.uid, randomUUID()],
    [pattern.pod.status?.podIP ?? "", address],
  ];
  const json = (kind: string, { metadata: { resourceVersion: _, ...metadata }, ...rest }: Stored): string =>
    replaced.reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      JSON.stringify({ apiVersion: "v1", kind, ...rest, metadata }),
    );
  const { namespace } = pattern;
  return [
    [`/registry/persistentvolumes/${one.volume}`, json("PersistentVolume", pattern.disk)],
    [`/registry/persistentvolumeclaims/${namespace}/${one.volume}`, json("PersistentVolumeClaim", pattern.claim)],
    ...(one.runs
      ? [[`/registry/pods/${namespace}/ws-${one.id}`, json("Pod", pattern.pod)] satisfies [string, string]]
      : []),
  ];
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

/** With its disk and everything that the cluster would write. */
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
    // Not an answer in time is not an answer: it is asked again.
    const found = await pods.list({}).catch(() => []);
    const running = found.filter(({ status }) => status?.phase === "Running" && status.podIP !== undefined);
    if (running.length === expected) return running;
    if (performance.now() > deadline) throw new Error(`only ${running.length} of ${expected} pods run`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

/** The rows of that fleet, all settled and known, as a coordinator that has seen it would have written them. */
export async function seedRows(url: string, fleet: Fleet, all: readonly Seeded[], pods: readonly Pod[]): Promise<void> {
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const now = Date.now();
  const rows = all.map(({ id, attempt, volume, runs }) => {
    const pod = byName.get(`ws-${id}`);
    if (runs !== (pod !== undefined)) throw new Error(`the pod of ${id} is not as it should be`);
    const mac = pod?.metadata.uid ?? "";
    const address = { kind: "tcp", host: pod?.status?.podIP ?? "", port: IDE_PORT, mac } as const;
    const containerId = `ws-${id}/${mac}`;
    const row = workspace({
      ...{ id, homeVolume: volume, desiredState: runs ? "RUNNING" : "STANDBY", conditions: {} },
      endpoint: runs ? { containerId, attempt, address } : null,
    });
    const container = { id: containerId, workspaceId: id, volume, attempt, address, exitCode: null };
    const seen = fromLists(row, now, runs ? [{ ...container, state: "running" }] : [], new Map([[volume, id]]));
    const { conditions, phase } = judge(row, seen);
    const endpoint = runs ? { container_id: containerId, attempt, address } : null;
    return { id, attempt, volume, phase, endpoint, conditions: fromConditions(conditions) };
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

const FROM =
  "jsonb_to_recordset($N::jsonb) AS r(id uuid, attempt uuid, volume text, phase text, endpoint jsonb, conditions jsonb)";
const WORKSPACES = `
INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state, phase, observed_at, home_volume, endpoint, conditions)
SELECT r.id, $1, 'fleet ' || left(r.id::text, 8), $2, r.phase, r.phase, now(), r.volume, nullif(r.endpoint, 'null'), r.conditions
FROM ${FROM.replace("N", "3")}`;
const VOLUMES = `
INSERT INTO volumes (name, workspace_id, attempt, state)
SELECT r.volume, r.id, r.attempt, 'current' FROM ${FROM.replace("N", "1")}`;

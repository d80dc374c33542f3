import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { DEPLOYMENT } from "#adapters/kubernetes/labels.ts";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { Pods } from "#adapters/kubernetes/pods.ts";
import { IDE_PORT } from "#adapters/kubernetes/workspace-pod.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { jsonLines } from "#adapters/runtime-parts/json-lines.ts";
import { startS3Server } from "../../test/data/s3-server.ts";
import { IDE_IMAGE } from "../../test/docker/docker-harness.ts";
import { apiAs } from "../../test/e2e/accounts.ts";
import { startOnCluster } from "../../test/kubernetes/cluster-program.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "../../test/kubernetes/kubernetes-data-plane.ts";
import type { ClusterSource } from "../../test/kubernetes/private-cluster.ts";
import { cloneTemplate, startTestServer } from "../../test/postgres/test-server.ts";
import type { BenchResult } from "../result.ts";
import { openCluster } from "../shared/cluster.ts";
import { median } from "../shared/median.ts";
import { openRow, ours } from "./row.ts";

const ROUNDS = Number(process.env["START_BENCH_ROUNDS"] ?? 15);
/** A disk that changes nodes takes seconds, and which node it is would be luck. */
const NODE = "node1";
const HOLDER = "holder";

/**
 * From a request committed in the database to RUNNING committed, with the real IDE on a cluster, against the very same pod
 * on the same bound claim, made by hand, until its IDE answers; and against that pod without the containers of ours, whose
 * difference is the price of holding a home to its identity and of the way to its loopback. In turns.
 *
 * Attaching a disk takes the cluster seconds, give or take half of one, whoever asks for it: that would hide what is looked
 * for. So another pod holds the disk on its node all the time, for which homes are ReadWriteOnce here.
 */
export async function onKubernetes(source: ClusterSource): Promise<BenchResult> {
  await using cluster = await openCluster(source, { images: ["ide"] });
  await using s3 = await startS3Server();
  const server = await startTestServer();
  const plane = await kubernetesDataPlane(cluster, s3.access);
  try {
    await using database = await cloneTemplate(server.url);
    const program = await startOnCluster(plane, {
      DEFAULT_IMAGE: IDE_IMAGE,
      DATABASE_URL: database.url,
      KUBERNETES_ACCESS_MODE: "ReadWriteOnce",
      KUBERNETES_NODE_SELECTOR: `kubernetes.io/hostname=${NODE}`,
      WORKSPACE_MEMORY: "2G",
      WORKSPACE_CPUS: "2",
    });
    try {
      const api = await apiAs(program.url);
      const { id } = await api.createWorkspace({ body: { name: "bench", desired_state: "RUNNING" } });
      await using row = await openRow(database.url, id);
      await row.reaches("RUNNING");
      const raw = await openRaw(plane, id);
      await raw.hold();
      await row.wish("STANDBY");
      await row.reaches("STANDBY");
      const samples: Samples = { plain: [], raw: [], rawUntilPod: [], ours: [], untilPod: [], afterAnswer: [] };
      for (let round = 0; round <= ROUNDS; round++) {
        const [plain, same] = [await raw.start("plain"), await raw.start("same")];
        const own = raw.follow(`ws-${id}`);
        const mine = await ours(row);
        const { madeAt, answeredAt } = await own;
        // The first of each finds nothing in any memory.
        if (round === 0) continue;
        samples.plain.push(plain.ms);
        samples.raw.push(same.ms);
        samples.rawUntilPod.push(same.untilPodMs);
        samples.ours.push(mine.ended - mine.begun);
        samples.untilPod.push(madeAt - mine.begun);
        samples.afterAnswer.push(mine.ended - answeredAt);
      }
      return figures(samples);
    } finally {
      await program.stop();
    }
  } finally {
    await plane.close();
    await server.stop();
  }
}

interface Samples {
  readonly plain: number[];
  readonly raw: number[];
  readonly rawUntilPod: number[];
  readonly ours: number[];
  /** Of ours, until the cluster told of the pod, and from the IDE's first answer on: what lies between is the cluster's. */
  readonly untilPod: number[];
  readonly afterAnswer: number[];
}

/**
 * Between its pod and its first answer a start is all the cluster's, the same for both, and differs from one to the next by
 * most of a second: a kubelet looks at its containers once in one. So what ours takes more is taken from what comes before
 * and after, and the two whole times stand beside it.
 */
function figures(samples: Samples): BenchResult {
  const [ours, raw, plain] = [median(samples.ours), median(samples.raw), median(samples.plain)];
  const rawUntilPod = median(samples.rawUntilPod);
  const more = samples.untilPod.map((untilPod, at) => untilPod - rawUntilPod + (samples.afterAnswer[at] ?? Number.NaN));
  return {
    metrics: {
      ours_ms_p50_kubernetes: ours,
      raw_pod_ms_p50_kubernetes: raw,
      plain_pod_ms_p50_kubernetes: plain,
      overhead_ms_p50_kubernetes: median(more),
      until_pod_ms_p50_kubernetes: median(samples.untilPod),
      after_answer_ms_p50_kubernetes: median(samples.afterAnswer),
      identity_check_ms_p50_kubernetes: raw - plain,
    },
    ratios: { raw_pod_kubernetes: raw / ours },
  };
}

interface Raw {
  /** A pod like the one that CodeHub made, by hand: created, its address heard of, and asked until it answers. */
  readonly start: (which: "same" | "plain") => Promise<{ readonly ms: number; readonly untilPodMs: number }>;
  /** When a pod of this name, which is made later, was heard of, and when its IDE first answered. */
  readonly follow: (name: string) => Promise<{ readonly madeAt: number; readonly answeredAt: number }>;
  /** A pod that does nothing keeps the disk where it is, until the namespace goes. */
  readonly hold: () => Promise<void>;
}

type Manifest = Record<string, unknown> & { spec: Record<string, unknown> };

async function openRaw({ harness }: KubernetesDataPlane, workspaceId: string): Promise<Raw> {
  const { admin, namespace } = harness;
  // Another deployment's: CodeHub does not notice.
  const deploymentId = randomUUID();
  const pods = new Pods(admin, namespace, deploymentId);
  const made = await pods.named(`ws-${workspaceId}`);
  if (made === null) throw new Error("the workspace has no pod to be copied");
  const labels = { ...made.metadata.labels, [DEPLOYMENT]: deploymentId };
  const { nodeName: _, initContainers, ...spec } = (made as unknown as Manifest).spec;
  const create = (name: string, change: object): Promise<Pod> =>
    admin.create<Pod>(pods.path, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels },
      spec: { ...spec, ...change },
    });
  const follow: Raw["follow"] = async (name) => {
    const ended = new AbortController();
    let madeAt: number | null = null;
    for await (const { status } of changesOf(harness, name, ended.signal)) {
      madeAt ??= performance.now();
      if (status?.podIP === undefined) continue;
      while (!(await answersHealthz({ kind: "tcp", host: status.podIP, port: IDE_PORT }))) await delay(2);
      ended.abort();
      return { madeAt, answeredAt: performance.now() };
    }
    throw new Error(`nobody told the address of ${name}`);
  };
  return {
    follow,
    start: async (which) => {
      const name = `raw-${randomUUID().slice(0, 8)}`;
      const followed = follow(name);
      const begun = performance.now();
      const { metadata } = await create(name, which === "same" ? { initContainers } : {});
      const { madeAt, answeredAt } = await followed;
      await pods.remove(metadata, 10);
      return { ms: answeredAt - begun, untilPodMs: madeAt - begun };
    },
    hold: async () => {
      const [ide] = spec["containers"] as readonly object[];
      const { metadata } = await create(HOLDER, { containers: [{ ...ide, command: ["sleep", "infinity"] }] });
      await pods.until(metadata, AbortSignal.timeout(60_000), ({ status }) => status?.podIP ?? null);
    },
  };
}

/** As soon as the cluster tells of it to those who watch. */
async function* changesOf(
  { admin, namespace }: KubernetesDataPlane["harness"],
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Pod> {
  const query = { watch: "1", fieldSelector: `metadata.name=${name}` };
  const stream = await admin.stream(`/api/v1/namespaces/${namespace}/pods`, query, signal);
  for await (const { object } of jsonLines<{ object: Pod }>(stream)) yield object;
}

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { DEPLOYMENT } from "#adapters/kubernetes/labels.ts";
import { FAKE_IMAGE, JOB_IMAGE, kubernetesHarness } from "../test/kubernetes/kubernetes-harness.ts";
import { clusterSource } from "../test/kubernetes/private-cluster.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import { type Change, Changes, delaysOf } from "./fleet/changes.ts";
import { CoordinatorProcess } from "./fleet/coordinator.ts";
import { tellOfLeft } from "./fleet/left.ts";
import { type Call, peakPerSecond, Requests } from "./fleet/requests.ts";
import { type Fleet, PLACEMENT, SIZES, seedCluster, seedRows, untilAllRun } from "./fleet/seed.ts";
import type { BenchResult } from "./result.ts";
import { openCluster } from "./shared/cluster.ts";

const COUNT = Number(process.env["FLEET_BENCH_WORKSPACES"] ?? 10_000);
const MINUTES = Number(process.env["FLEET_BENCH_MINUTES"] ?? 3);
const CHANGING = Math.max(2, Math.round(COUNT / 100));
const MINUTE_MS = 60_000;
const OUTAGE_MS = 60_000;
/** What a cluster of one machine may take for a minute's changes, at most. */
const PATIENCE_MS = 180_000;
const run_ = promisify(execFile);

/**
 * A fleet of workspaces on a cluster's fake nodes, of which one in a hundred changes every minute, on one coordinator: what it
 * takes of processor and memory, how often it asks the API server, and how long a request waits until somebody acts on it.
 * Then the coordinator is killed and started again, and then the API server is away for a minute, while people go on.
 * What is counted is what the API server's own log says, and every change must come to its end.
 */
export async function run(): Promise<BenchResult> {
  const source = clusterSource();
  if (source === null) return { metrics: {}, ratios: {} };
  await using cluster = await openCluster(source, { images: [], args: ["--with", "kwok", "--nodes", "1"] });
  const { dir } = cluster;
  if (dir === null) throw new Error("the fleet needs a cluster whose parts it may stop");
  const { admin, namespace, kubeconfig } = await kubernetesHarness(cluster);
  const server = await startTestServer();
  const scratch = await mkdtemp(join(tmpdir(), "codehub-fleet-"));
  try {
    await using database = await cloneTemplate(server.url);
    const deploymentId = await deploymentOf(database.url);
    const fleet: Fleet = { admin, namespace, clusterDir: dir, deploymentId, imageRef: FAKE_IMAGE, jobImage: JOB_IMAGE };
    const begun = performance.now();
    const all = await seedCluster(fleet, COUNT);
    const pods = await untilAllRun(fleet, all.filter(({ runs }) => runs).length, 10 * MINUTE_MS);
    await seedRows(database.url, fleet, all, pods);
    const seedSeconds = (performance.now() - begun) / 1_000;
    console.error(`${COUNT} workspaces were there after ${Math.round(seedSeconds)} s`);
    await writeFile(join(scratch, "config"), JSON.stringify(kubeconfig), { mode: 0o600 });
    await using coordinator = new CoordinatorProcess({
      ROLES: "coordinator",
      RUNTIME: "kubernetes",
      DATABASE_URL: database.url,
      DATA_DIR: scratch,
      KUBERNETES_KUBECONFIG: join(scratch, "config"),
      KUBERNETES_NAMESPACE: namespace,
      KUBERNETES_NETWORK_POLICIES: "unenforced",
      KUBERNETES_NODE_SELECTOR: Object.entries(PLACEMENT.nodeSelector).flat().join("="),
      KUBERNETES_TOLERATIONS: PLACEMENT.tolerations.map(({ key }) => key).join(","),
      KUBERNETES_REQUEST_CPUS: String(SIZES.requests.cpus),
      KUBERNETES_REQUEST_MEMORY: "16M",
      WORKSPACE_CPUS: String(SIZES.limits.cpus),
      WORKSPACE_MEMORY: "256M",
      DEFAULT_IMAGE: FAKE_IMAGE,
      JOB_IMAGE,
      S3_BUCKET: "never-used",
      S3_ACCESS_KEY_ID: "nobody",
      S3_SECRET_ACCESS_KEY: "nothing",
      TTL_STANDBY_SECONDS: "0",
      TTL_ARCHIVE_SECONDS: "0",
    });
    await using requests = new Requests(dir, namespace);
    await using changes = await Changes.open(database.url, all);
    coordinator.start();
    const parts = { coordinator, requests, changes, fleet };
    // From here on it leads.
    if ((await notDone(parts, await changes.make(2, 0), PATIENCE_MS)) > 0)
      throw new Error("the first changes came to no end");
    await calm(requests);
    const steady = await steadily(parts);
    console.error(steady);
    const restart = await restarted(parts);
    console.error(restart);
    const outage = await withoutApiServer(parts);
    return { metrics: { workspaces: COUNT, seed_s: seedSeconds, ...steady, ...restart, ...outage }, ratios: {} };
  } finally {
    await rm(scratch, { recursive: true, force: true });
    await server.stop();
  }
}

interface Parts {
  readonly coordinator: CoordinatorProcess;
  readonly requests: Requests;
  readonly changes: Changes;
  readonly fleet: Fleet;
}

type Figures = Record<string, number>;

/** How many had not come to their end when nobody waited any longer. What is known of them is told: the figures go on. */
async function notDone({ changes, fleet }: Parts, made: readonly Change[], limitMs: number): Promise<number> {
  const left = await changes.done(made, limitMs);
  if (left.length > 0) await tellOfLeft(fleet, left);
  return left.length;
}

const CALM_MS = 10_000;
/** A list of everything may fall into that time, and hardly more. */
const CALM_CALLS = 60;

async function calm(requests: Requests): Promise<void> {
  for (const deadline = performance.now() + 10 * MINUTE_MS; ; ) {
    await delay(CALM_MS);
    if (requests.within(Date.now() - CALM_MS, Date.now()).length <= CALM_CALLS) return;
    if (performance.now() > deadline) throw new Error("the coordinator does not come to rest");
  }
}

async function steadily(parts: Parts): Promise<Figures> {
  const { coordinator, requests, changes } = parts;
  const [begun, cpuMs] = [Date.now(), coordinator.cpuMs()];
  const made = await changes.make(CHANGING * MINUTES, MINUTES * MINUTE_MS);
  const ended = Date.now();
  const cpu = coordinator.cpuMs() - cpuMs;
  const left = await notDone(parts, made, PATIENCE_MS);
  await delay(1_000);
  const calls = requests.within(begun, ended);
  tell(calls);
  const delays = delaysOf(made, requests.within(begun, Date.now()));
  return {
    changes_per_min: CHANGING,
    changes_not_done: left,
    cpu_cores: cpu / (ended - begun),
    blocked_ms_max: coordinator.takeBlockedMs(),
    pss_mb: await coordinator.pssMb(),
    peak_mb: coordinator.peakMb(),
    requests_per_min: calls.length / MINUTES,
    requests_per_s_peak: peakPerSecond(calls),
    request_to_action_ms_p50: percentile(delays, 0.5),
    request_to_action_ms_p99: percentile(delays, 0.99),
  };
}

/** Killed while a minute's changes are asked for at once. */
async function restarted(parts: Parts): Promise<Figures> {
  const { coordinator, requests, changes } = parts;
  const made = await changes.make(CHANGING, 0);
  const begun = Date.now();
  await coordinator.kill();
  coordinator.start();
  const left = await notDone(parts, made, PATIENCE_MS);
  const doneMs = Date.now() - begun;
  await delay(Math.max(0, MINUTE_MS - doneMs));
  const calls = requests.within(begun, begun + MINUTE_MS);
  tell(calls);
  return {
    restart_not_done: left,
    restart_all_done_s: doneMs / 1_000,
    restart_cpu_s_in_60_s: coordinator.cpuMs() / 1_000,
    restart_blocked_ms_max: coordinator.takeBlockedMs(),
    restart_peak_mb: coordinator.peakMb(),
    restart_requests_in_60_s: calls.length,
    restart_requests_per_s_peak: peakPerSecond(calls),
  };
}

/** People go on while there is no API server. */
async function withoutApiServer(parts: Parts): Promise<Figures> {
  const { coordinator, requests, changes, fleet } = parts;
  const part = (verb: "stop" | "start") => run_(join(fleet.clusterDir, "part"), [verb, "apiserver"]);
  const cpuMs = coordinator.cpuMs();
  const epoch = await changes.epoch();
  await part("stop");
  const made = await changes.make(CHANGING, OUTAGE_MS);
  const cpuOutMs = coordinator.cpuMs() - cpuMs;
  await part("start");
  const back = Date.now();
  const listed = untilOthersMayList(fleet).then(() => Date.now() - back);
  const left = await notDone(parts, made, 2 * PATIENCE_MS);
  const doneMs = Date.now() - back;
  await delay(Math.max(1_000, MINUTE_MS - doneMs));
  const calls = requests.within(back - OUTAGE_MS / 2, back + MINUTE_MS);
  tell(calls);
  if (left > 0) tell(requests.within(back + MINUTE_MS, Date.now()));
  // Asked for while nobody could act: from then on it is ours to act, and to begin and end pods is the cluster's.
  const waited = made.map((change) => ({ ...change, at: back }));
  return {
    outage_not_done: left,
    outage_cpu_cores: cpuOutMs / OUTAGE_MS,
    outage_others_may_list_s: (await listed) / 1_000,
    outage_acted_s_p50: percentile(delaysOf(waited, requests.within(back, Date.now())), 0.5) / 1_000,
    outage_acted_s_max: Math.max(...delaysOf(waited, requests.within(back, Date.now()))) / 1_000,
    outage_all_done_s: doneMs / 1_000,
    outage_cpu_s_after: (coordinator.cpuMs() - cpuMs - cpuOutMs) / 1_000,
    outage_terms_lost: (await changes.epoch()) - epoch,
    outage_blocked_ms_max: coordinator.takeBlockedMs(),
    outage_peak_mb: coordinator.peakMb(),
    outage_requests_in_60_s: calls.length,
    outage_requests_per_s_mean: calls.length / (MINUTE_MS / 1_000),
    outage_requests_per_s_peak: peakPerSecond(calls),
  };
}

/**
 * An API server that has just begun answers lists of pods when it has read them all itself. Somebody else's, asked once and not
 * by the coordinator: what is before that is nobody's here to make shorter.
 */
async function untilOthersMayList({ admin, namespace, deploymentId }: Fleet): Promise<void> {
  for (const deadline = performance.now() + 2 * PATIENCE_MS; performance.now() < deadline; await delay(200)) {
    const answered = admin.versionOf(`/api/v1/namespaces/${namespace}/pods`, { [DEPLOYMENT]: deploymentId });
    if (await answered.then(Boolean, () => false)) return;
  }
}

/** What was asked most, for whoever looks for why. */
function tell(calls: readonly Call[]): void {
  const kinds = Map.groupBy(calls, ({ verb, resource, code, said }) => `${verb} ${resource} ${code} ${said}`);
  const counts = [...kinds].map(([kind, { length }]) => [kind, length] as const).sort((a, b) => b[1] - a[1]);
  console.error(Object.fromEntries(counts.slice(0, 12)));
}

async function deploymentOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ deployment_id: string }>("SELECT deployment_id FROM deployment");
  await client.end();
  return rows[0]?.deployment_id ?? "";
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

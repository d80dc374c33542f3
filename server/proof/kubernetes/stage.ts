import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Client, Workspace } from "@codehub/contract";
import { kubeconfigAccess } from "#adapters/kubernetes/access.ts";
import { IDENTITY, WORKSPACE } from "#adapters/kubernetes/labels.ts";
import type { Claim, Pod } from "#adapters/kubernetes/objects.ts";
import { type FaultProxy, startFaultProxy } from "../../test/data/fault-proxy.ts";
import { type S3Access, startS3Server } from "../../test/data/s3-server.ts";
import { apiAs } from "../../test/e2e/accounts.ts";
import { startOnCluster } from "../../test/kubernetes/cluster-program.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "../../test/kubernetes/kubernetes-data-plane.ts";
import { clusterSource, startCluster, type TestCluster } from "../../test/kubernetes/private-cluster.ts";
import { cloneTemplate, startTestServer } from "../../test/postgres/test-server.ts";
import { runInside } from "../../test/runtime/ask.ts";
import type { Outcome } from "../report.ts";
import { Home } from "./home.ts";
import { Watchman } from "./watchman.ts";

const run = promisify(execFile);

export interface Scenario {
  /** What is done to the system, in words. */
  readonly did: string;
  /** Resolves with what was seen; rejects where something does not hold. */
  readonly play: (stage: Stage) => Promise<readonly string[]>;
}

export type Level = "RUNNING" | "STANDBY" | "ARCHIVED";

/** A part that is waited for takes as long as the cluster does; beyond this it hangs. */
const PATIENCE_SECONDS = 180;

interface Given {
  readonly cluster: TestCluster;
  readonly s3: S3Access;
}

/**
 * The real program beside a real cluster, an object store and a database, each of which it reaches by a door of ours that can
 * be shut, and somebody who never looks away.
 */
export class Stage implements AsyncDisposable {
  readonly cluster: TestCluster & { readonly dir: string };
  readonly plane: KubernetesDataPlane;
  readonly program: Awaited<ReturnType<typeof startOnCluster>>;
  readonly apiServer: FaultProxy;
  readonly store: FaultProxy;
  readonly databaseUrl: string;
  readonly watchman: Watchman;
  readonly tell: (line: string) => void;
  readonly #cleanUp: AsyncDisposableStack;
  #api: Client;
  #compared = 0;

  /** With a cluster and a store that are given, or its own. Tells how far it is. */
  static async open(given: Given | null = null, tell: (line: string) => void = () => {}): Promise<Stage> {
    await using stack = new AsyncDisposableStack();
    const cluster = given?.cluster ?? (await clusterOfOurs(stack));
    const { dir } = cluster;
    if (dir === null) throw new Error("a cluster is needed whose nodes can be cut off: one that TEST_KUBE starts");
    const s3 = given?.s3 ?? stack.use(await startS3Server()).access;
    const plane = stack.adopt(await kubernetesDataPlane(cluster, s3), (one) => one.close());
    const { admin, host, namespace, kubeconfig } = plane.harness;
    stack.defer(() => letGoOfHomes(plane));
    const { tls } = await kubeconfigAccess(cluster.kubeconfig);
    const apiServer = stack.use(await startFaultProxy(admin.name, { tls: true, upstreamCa: tls.ca ?? "" }));
    const store = stack.use(await startFaultProxy(s3.endpoint, { host }));
    const scratch = stack.adopt(await mkdtemp(join(tmpdir(), "codehub-proof-")), (path) =>
      rm(path, { recursive: true, force: true }),
    );
    const file = join(scratch, "kubeconfig");
    await writeFile(file, JSON.stringify(behind(kubeconfig, apiServer)), { mode: 0o600 });
    const server = stack.adopt(await startTestServer(), ({ stop }) => stop());
    const database = stack.use(await cloneTemplate(server.url));
    const environment = {
      KUBERNETES_KUBECONFIG: file,
      S3_ENDPOINT: store.endpoint,
      DATABASE_URL: database.url,
      STOP_GRACE_SECONDS: "2",
      // Tried after every start of the server, of which there are many here, and by tests of its own.
      KUBERNETES_NETWORK_POLICIES: "unenforced",
      COORDINATOR_IDLE_INTERVAL: "3",
      // What one scenario leaves running when it does not hold is nothing to the next.
      LIMITS_MAX_RUNNING_PER_USER: "20",
      IMAGE_ALLOWLIST: "codehub-test/*,127.0.0.1:1/*",
    };
    const program = stack.adopt(await startOnCluster(plane, environment), ({ stop }) => stop());
    const api = await apiAs(program.url);
    const watchman = stack.use(new Watchman(admin, namespace, apiServer));
    const parts = { cluster: { ...cluster, dir }, plane, program, apiServer, store, watchman, api, tell };
    return new Stage({ ...parts, databaseUrl: database.url, cleanUp: stack.move() });
  }

  private constructor(
    parts: Pick<
      Stage,
      "cluster" | "plane" | "program" | "apiServer" | "store" | "watchman" | "databaseUrl" | "tell"
    > & {
      readonly api: Client;
      readonly cleanUp: AsyncDisposableStack;
    },
  ) {
    this.cluster = parts.cluster;
    this.plane = parts.plane;
    this.program = parts.program;
    this.apiServer = parts.apiServer;
    this.store = parts.store;
    this.watchman = parts.watchman;
    this.tell = parts.tell;
    this.databaseUrl = parts.databaseUrl;
    this.#api = parts.api;
    this.#cleanUp = parts.cleanUp;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp.disposeAsync();
  }

  get api(): Client {
    return this.#api;
  }

  async play(name: string, { did, play }: Scenario, signal?: AbortSignal): Promise<Outcome> {
    const begun = performance.now();
    this.#compared = 0;
    const interrupted = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("interrupted")), { once: true });
    });
    const found = await Promise.race([play(this), interrupted]).then(
      (saw) => ({ saw, violation: null }),
      (error: unknown) => ({ saw: [], violation: String(error) }),
    );
    this.calm();
    const violation = found.violation ?? this.watchman.complaint();
    return {
      name,
      did,
      saw: found.saw,
      violation,
      homes: this.#compared,
      seconds: (performance.now() - begun) / 1_000,
    };
  }

  /** Every door is open again. */
  calm(): void {
    this.apiServer.fault = () => undefined;
    this.store.fault = () => undefined;
  }

  /** A workspace that rests, with a home of known content. */
  async newHome(name: string, level: Level = "STANDBY"): Promise<Home> {
    const { id } = await this.#api.createWorkspace({ body: { name, desired_state: "STANDBY" } });
    await this.reaches(id, "STANDBY");
    const home = new Home(id, await this.homePath(id));
    if (level !== "STANDBY") await this.take(home, level);
    return home;
  }

  async ask(id: string, level: Level): Promise<void> {
    await this.#api.updateWorkspace({ params: { id }, body: { desired_state: level } });
  }

  async take({ id }: Home, level: Level): Promise<null> {
    await this.ask(id, level);
    await this.reaches(id, level);
    return null;
  }

  look(id: string): Promise<Workspace> {
    return this.#api.getWorkspace({ params: { id } });
  }

  async reaches(id: string, phase: string, seconds: number = PATIENCE_SECONDS): Promise<void> {
    await this.eventually(
      `workspace ${id} at ${phase}`,
      async () => {
        const workspace = await this.look(id);
        assert.deepEqual([workspace.phase, workspace.operation], [phase, "NONE"], workspace.error?.message);
      },
      seconds,
    );
  }

  /** Polled from outside, as by a person; what the program itself waits for is what is being tried. */
  async eventually(what: string, holds: () => Promise<void>, seconds: number = PATIENCE_SECONDS): Promise<void> {
    const deadline = performance.now() + seconds * 1_000;
    for (;;) {
      try {
        await holds();
        return;
      } catch (error) {
        if (performance.now() > deadline) throw new Error(`${what}: not within ${seconds} s: ${String(error)}`);
      }
      await delay(200);
    }
  }

  /** Where the home lies on this machine: on the newest claim that is one. */
  async homePath(id: string): Promise<string> {
    const claims = await this.plane.harness.admin.list<Claim>(this.path("persistentvolumeclaims"), { [WORKSPACE]: id });
    const homes = claims.filter(({ metadata }) => metadata.annotations?.[IDENTITY] !== undefined);
    const [newest] = homes.toSorted((one, other) => (madeAt(one) < madeAt(other) ? 1 : -1));
    const disk = newest?.spec?.volumeName;
    if (disk === undefined) throw new Error(`workspace ${id} has no home in the cluster`);
    return join(this.cluster.dir, "volumes", disk, "data/home");
  }

  /** Byte for byte, with times, modes, owners, links and attributes. */
  async compare(home: Home, when: string): Promise<void> {
    home.requireSame(await this.homePath(home.id), when);
    this.#compared += 1;
  }

  path(kind: string, name?: string): string {
    return `/api/v1/namespaces/${this.plane.harness.namespace}/${kind}${name === undefined ? "" : `/${name}`}`;
  }

  podOf({ id }: Home): Promise<Pod | null> {
    return this.plane.harness.admin.read<Pod>(this.path("pods", `ws-${id}`));
  }

  /** The pod that runs; there is one. */
  async running(home: Home): Promise<{ readonly uid: string; readonly node: string; readonly host: string }> {
    const pod = await this.podOf(home);
    const { nodeName = "" } = pod?.spec ?? {};
    assert.ok(pod?.status?.podIP !== undefined, "its pod runs");
    return { uid: pod.metadata.uid, node: nodeName, host: pod.status.podIP };
  }

  async inside(home: Home, command: string): Promise<string> {
    const { host } = await this.running(home);
    const { code, text } = await runInside({ address: { kind: "tcp", host, port: 8080 } }, command);
    assert.equal(code, 0, text);
    return text;
  }

  async part(...args: readonly string[]): Promise<void> {
    await run(join(this.cluster.dir, "part"), args);
  }

  async tool(name: "node-cut" | "node-heal", node: string): Promise<void> {
    await run(join(this.cluster.dir, name), [node.replace("node", "")]);
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const { dir, kubeconfig } = this.cluster;
    const { namespace } = this.plane.harness;
    const all = ["--kubeconfig", kubeconfig, "-n", namespace, ...args];
    return (await run(join(dir, "bin/kubectl"), all)).stdout;
  }

  /** Everything that was told of this workspace: kind and code, newest first. */
  async history(id: string): Promise<string[]> {
    const { items } = await this.#api.listHistory({ params: { id }, query: {} });
    return items.map(({ kind, details }) => `${kind} ${String(details["code"])}`);
  }
}

const madeAt = ({ metadata }: Claim): string => metadata.creationTimestamp ?? "";

/** The program's homes are not the harness's, and nothing else would take them away. */
async function letGoOfHomes({ harness: { admin, namespace } }: KubernetesDataPlane): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  for (const { metadata } of await admin.list<Claim>(path, {}))
    await admin.patch(`${path}/${metadata.name}`, { metadata: { finalizers: null } });
}

async function clusterOfOurs(stack: AsyncDisposableStack): Promise<TestCluster> {
  const source = clusterSource();
  if (source === null) throw new Error("there is no cluster to prove anything on");
  if ("programs" in source) return stack.use(await startCluster(source.programs));
  const folder = dirname(source.kubeconfig);
  return { kubeconfig: source.kubeconfig, dir: existsSync(join(folder, "node-cut")) ? folder : null };
}

/** The same rights by another door. */
function behind(kubeconfig: object, { endpoint, ca }: FaultProxy): object {
  const data = Buffer.from(ca ?? "").toString("base64");
  const cluster = { server: endpoint, "certificate-authority-data": data };
  return { ...kubeconfig, clusters: [{ name: "test", cluster }] };
}

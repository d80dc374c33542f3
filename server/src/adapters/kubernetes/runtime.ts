import { requireAllowed } from "#adapters/runtime-parts/allowed-image.ts";
import { diskUse } from "#adapters/runtime-parts/disk-use.ts";
import { notFinished } from "#adapters/runtime-parts/finished-home.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { inTurns } from "#adapters/runtime-parts/in-turns.ts";
import { eachOnce, parseListening } from "#adapters/runtime-parts/listening-sockets.ts";
import { requireTaken } from "#adapters/runtime-parts/start-extras.ts";
import { type ContainerSeen, type Seen, seen, unseen } from "#core/rows/observation.ts";
import type { Address } from "#core/rows/workspace.ts";
import type { DiskUse } from "#core/rules/disk.ts";
import type { UsageSeen } from "#core/rules/usage.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { ListeningPort, OnWaiting, Runtime, StartSpec } from "#ports/runtime.ts";
import type { Volumes } from "#ports/volumes.ts";
import type { Cluster } from "./cluster.ts";
import { EventWords } from "./event-words.ts";
import { giveSecret, hasGiven } from "./given-secret.ts";
import { ATTEMPT, ROLE, SETUP, WORKSPACE } from "./labels.ts";
import { PodUse, workOr } from "./metrics.ts";
import type { Meta, Pod } from "./objects.ts";
import type { Amounts, Placement } from "./pod-parts.ts";
import { claimOf, IDE, type PodWait, refined, startOf, stateOf, whyEndedBy } from "./pod-state.ts";
import { lookOf } from "./pod-watch.ts";
import { containerIdOf, type PodId, type Pods, parseContainerId } from "./pods.ts";
import type { Premises } from "./premises.ts";
import { askRelay, RELAY_PORT } from "./relay.ts";
import { giveUpPod, silentNodeOf } from "./silent-node.ts";
import { encodeIdentity } from "./volumes.ts";
import { IDE_PORT, podName, workspacePod } from "./workspace-pod.ts";

export interface KubernetesRuntimeOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly deploymentId: string;
  readonly pods: Pods;
  readonly premises: Premises;
  readonly volumes: Pick<Volumes, "identity">;
  readonly placement: Placement;
  readonly jobImage: string;
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly graceSeconds: number;
  /** What images run by themselves: a cluster does not tell. */
  readonly workspaceCommand: readonly string[];
  readonly imageAllowlist: readonly string[];
  /** Where a port of a workspace is served, with `{{port}}` in it, for the links that the IDE shows. */
  readonly portUrl?: (nameInHosts: string) => string;
}

const LOG_LIMIT_BYTES = 1024 * 1024;
/** Each is one small question; those that do not answer take their time. */
const RELAYS_AT_ONCE = 16;

/** Workspaces as pods of a cluster, each on its claim, one for an attempt and never started again by the cluster. */
export class KubernetesRuntime implements Runtime {
  readonly kind = "kubernetes";
  readonly ownPorts = OWN_PORTS;
  readonly takes = { hostName: true, size: true, init: true, files: true, prelude: true, pullCredential: true };
  readonly hostPorts = null;
  /** Homes have disks of their own. */
  readonly homeBytes = null;
  /** It takes the right to run anything in any pod of the namespace, which no server of ours has. */
  readonly lookIntoHome = null;
  readonly emptyInHome = null;
  readonly #options: KubernetesRuntimeOptions;
  readonly #pods: Pods;
  readonly #use: PodUse;
  readonly #words: EventWords;

  constructor(options: KubernetesRuntimeOptions) {
    this.#options = options;
    this.#pods = options.pods;
    this.#words = new EventWords((id) => options.pods.lastEvent(id));
    this.#use = new PodUse(options.cluster, options.namespace, options.deploymentId);
  }

  async engineId(): Promise<string> {
    const { cluster, namespace } = this.#options;
    const found = await cluster.read<{ metadata: Meta }>(`/api/v1/namespaces/${namespace}`);
    if (found === null) throw new OperationFailure("Unreachable", `The cluster has no namespace ${namespace}.`);
    return found.metadata.uid;
  }

  async list(): Promise<ContainerSeen[]> {
    const looks = new Map<string, string>();
    const found = await this.#listed({}, (pod) => looks.set(pod.metadata.name, lookOf(pod)));
    this.#pods.watch.listed(looks);
    return found;
  }

  async inspect(workspaceId: string): Promise<ContainerSeen[]> {
    const found = await this.#listed({ [WORKSPACE]: workspaceId });
    return await Promise.all(found.map((one) => this.#withReason(one)));
  }

  /** Of one that ended and does not say why; where nobody else says it either, it ended by itself. */
  async #withReason(one: ContainerSeen): Promise<ContainerSeen> {
    if (one.state !== "exited" || one.ended !== undefined) return one;
    const ended = whyEndedBy(await this.#pods.events(parseContainerId(one.id)).catch(() => []));
    return ended === null ? one : { ...one, ended };
  }

  /** Without jobs that have the role for their network's sake. */
  async #listed(labels: Record<string, string>, look: (pod: Pod) => void = () => {}): Promise<ContainerSeen[]> {
    const found = await this.#pods.listed({ [ROLE]: "workspace", ...labels }, (pod) => {
      look(pod);
      return pod.metadata.labels?.[SETUP] === undefined ? toSeen(pod) : null;
    });
    return found.filter((pod) => pod !== null);
  }

  /** Nodes pull by themselves, when a pod is given to them: how that goes is told while it starts. */
  async ensureImage(imageRef: string): Promise<void> {
    requireAllowed(imageRef, this.#options.imageAllowlist);
  }

  async start(
    spec: StartSpec,
    signal: AbortSignal,
    onWaiting: OnWaiting = () => {},
  ): Promise<{ containerId: string; address: Address }> {
    const { cluster, namespace, imageAllowlist, volumes, premises } = this.#options;
    requireTaken(spec, this.takes);
    requireAllowed(spec.imageRef, imageAllowlist);
    // One look at the claim: each is a call of the cluster's, and somebody waits.
    const [owner, identity] = await Promise.all([premises.require(), volumes.identity(spec.volume)]);
    if (identity?.workspaceId !== spec.workspaceId) throw notFinished(spec);
    signal.throwIfAborted();
    const portUrl = this.#options.portUrl?.(spec.nameInHosts ?? spec.workspaceId) ?? null;
    const body = workspacePod(spec, { ...this.#options, owner, portUrl, identity: encodeIdentity(identity) });
    const pod = await this.#pods.create(body, signal);
    if (pod === null) {
      throw new OperationFailure("ActionFailed", `Workspace ${spec.workspaceId} has the pod ${podName(spec)} already.`);
    }
    const id = { name: pod.metadata.name, uid: pod.metadata.uid };
    try {
      const takeBack = hasGiven(spec) ? await giveSecret(cluster, namespace, spec, pod) : null;
      const host = await this.#begun(id, signal, onWaiting);
      await takeBack?.();
      return { containerId: containerIdOf(pod), address: addressOf(host, IDE_PORT, id.uid) };
    } catch (error) {
      // It would begin whenever the cluster gets to it. Not waited for: who comes next sees it until it is gone.
      await cluster.remove(`${this.#pods.path}/${id.name}`, id.uid, 1).catch(() => {});
      throw error;
    }
  }

  /** The pod's address, as soon as its program runs; also of one that has ended already, which is told by its state. */
  async #begun(id: PodId, signal: AbortSignal, onWaiting: OnWaiting): Promise<string> {
    const words = this.#words.of(id);
    let last: (PodWait & { readonly since: number }) | null = null;
    return await this.#pods.until(id, signal, async (pod) => {
      const verdict = startOf(pod);
      if (verdict.kind === "failed") throw verdict.failure;
      if (verdict.kind === "started") return verdict.host;
      if (verdict.kind === "ended") return pod.status?.podIP ?? "0.0.0.0";
      const wait = refined(verdict.wait, await words());
      if (last?.code !== wait.code || last.message !== wait.message) {
        last = { ...wait, since: last?.code === wait.code ? last.since : Date.now() };
        onWaiting({ code: wait.code, fields: wait.message === "" ? {} : { message: wait.message }, since: last.since });
      }
      return null;
    });
  }

  async answers(address: Address): Promise<boolean> {
    return (await answersHealthz(address)) && (await this.confirms(address));
  }

  /** The relay beside the workspace is asked whose pod it is in: the cluster gives addresses of ended pods to others. */
  async confirms(address: Address): Promise<boolean> {
    if (address.kind === "unix" || address.mac === undefined) return false;
    return (await askRelay(address.host, "/"))?.pod === address.mac;
  }

  async remove(containerId: string, graceSeconds: number): Promise<void> {
    const id = parseContainerId(containerId);
    const pod = await this.#pods.find(id);
    if (pod === null) return;
    if (!this.#pods.isOurs(pod)) {
      throw new OperationFailure("ActionFailed", `Pod ${id.name} is not of this deployment.`);
    }
    await this.#pods.remove(id, graceSeconds);
  }

  async giveUp(stranded: { readonly container: string; readonly node: string }): Promise<void> {
    await giveUpPod(this.#options.cluster, this.#pods, stranded);
  }

  async logs(containerId: string, lines: number): Promise<string> {
    const id = parseContainerId(containerId);
    const pod = await this.#pods.find(id);
    if (pod === null || !this.#pods.isOurs(pod)) return "";
    const query = { container: IDE, tailLines: String(lines), limitBytes: String(LOG_LIMIT_BYTES) };
    return await this.#options.cluster.text(`${this.#pods.path}/${id.name}/log`, query);
  }

  /** Of the disk as the relay sees it, which has the home's before it too; the rest as the cluster's metrics have it. */
  async usage(containers: readonly ContainerSeen[]): Promise<ReadonlyMap<string, UsageSeen>> {
    const disks = new Map<string, Seen<DiskUse>>();
    const [work] = await Promise.all([
      this.#use.ask(),
      inTurns(containers, RELAYS_AT_ONCE, async (one) => disks.set(one.id, await diskOf(one))),
    ]);
    return new Map(
      containers.map(({ id }) => {
        const disk = disks.get(id) ?? unseen("unanswered");
        return [id, { ...workOr(work, parseContainerId(id).name), disk }];
      }),
    );
  }

  async portAddress(containerId: string, port: number): Promise<Address | null> {
    if (OWN_PORTS.includes(port)) return null;
    const found = await this.#theirSockets(containerId);
    if (found === null) return null;
    const { host, uid, relayed } = found;
    const theirs = found.sockets.filter((socket) => socket.port === port);
    if (theirs.length === 0) return null;
    const reachable = relayed.includes(port) || theirs.some((socket) => socket.everywhere || socket.host === host);
    if (!reachable && (await askRelay(host, `/relay/${port}`, "POST"))?.pod !== uid) return null;
    return addressOf(host, port, uid);
  }

  /** The relay sees what listens in the pod, but no processes of other containers, and so no names. */
  async listening(containerId: string): Promise<readonly ListeningPort[]> {
    const found = await this.#theirSockets(containerId);
    if (found === null) throw new OperationFailure("Unreachable", "The pod does not say what listens in it.");
    const ports = found.sockets.map(({ port }) => ({ port, program: null }));
    return eachOnce(ports.filter(({ port }) => !OWN_PORTS.includes(port)));
  }

  /** As the relay beside the workspace sees them, without its own. */
  async #theirSockets(containerId: string) {
    const id = parseContainerId(containerId);
    const pod = await this.#pods.find(id);
    if (pod === null || !this.#pods.isOurs(pod)) return null;
    const { address } = toSeen(pod);
    if (address?.kind !== "tcp") return null;
    const { host } = address;
    const found = await askRelay(host, "/listening");
    if (found?.pod !== id.uid) return null;
    const { relayed = [], tables = "" } = found;
    const sockets = parseListening(tables).filter((one) => !(relayed.includes(one.port) && one.host === host));
    return { host, uid: id.uid, relayed, sockets };
  }

  async watch(onHint: (workspaceId: string) => void, signal: AbortSignal): Promise<void> {
    await this.#pods.watch.hints(onHint, signal);
  }
}

/** The IDE's and the relay's. */
const OWN_PORTS: readonly number[] = [IDE_PORT, RELAY_PORT];

/** The pod's uid comes with the answer: at this address may be another pod now. */
async function diskOf({ address }: ContainerSeen): Promise<Seen<DiskUse>> {
  const said = address?.kind === "tcp" ? await askRelay(address.host, "/usage") : null;
  if (said === null || address?.kind !== "tcp" || said.pod !== address.mac) return unseen("unanswered");
  // One that was started by an older version has no disk before it.
  return said.disk === undefined ? unseen("old_relay") : seen({ ...diskUse(said.disk), shared: false });
}

const addressOf = (host: string, port: number, uid: string): Address => ({ kind: "tcp", host, port, mac: uid });

function toSeen(pod: Pod): ContainerSeen {
  const { metadata, status } = pod;
  const labels = metadata.labels ?? {};
  const state = stateOf(pod);
  const host = state.state === "running" ? status?.podIP : undefined;
  const silentNode = silentNodeOf(pod, Date.now());
  return {
    id: containerIdOf(pod),
    workspaceId: labels[WORKSPACE] ?? "",
    volume: claimOf(pod),
    attempt: labels[ATTEMPT] ?? null,
    address: host === undefined ? null : addressOf(host, IDE_PORT, metadata.uid),
    ...state,
    ...(silentNode === null ? {} : { silentNode }),
  };
}

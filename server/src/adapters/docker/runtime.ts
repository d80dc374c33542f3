import { requireAllowed } from "#adapters/runtime-parts/allowed-image.ts";
import { filesTar } from "#adapters/runtime-parts/files-tar.ts";
import { requireFinishedHome } from "#adapters/runtime-parts/finished-home.ts";
import {
  EMPTY_LIMITS,
  emptyCommand,
  type HearLimits,
  LOOK_LIMITS,
  lookCommand,
  readEmptied,
  readLook,
} from "#adapters/runtime-parts/home-space.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { INIT_FAILED, initFailure } from "#adapters/runtime-parts/init-step.ts";
import { parseListening } from "#adapters/runtime-parts/listening-sockets.ts";
import { requireTaken } from "#adapters/runtime-parts/start-extras.ts";
import type { Reach } from "#core/reach/reach.ts";
import { type ContainerSeen, type Seen, seen, unseen } from "#core/rows/observation.ts";
import type { Address } from "#core/rows/workspace.ts";
import type { UsageSeen } from "#core/rules/usage.ts";
import type { Emptied, HomeLook } from "#core/space/home-look.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Logger } from "#ports/logger.ts";
import type { ListeningPort, OnWaiting, Runtime, StartSpec } from "#ports/runtime.ts";
import type { GivenFile, PullCredential } from "#ports/start-extras.ts";
import type { PortRange } from "#ports/store.ts";
import type { Volumes } from "#ports/volumes.ts";
import { createContainer, inspectContainer, type ListedContainer, readLogs, removeContainer } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { watchEvents } from "./events.ts";
import { execute, listen } from "./exec.ts";
import { Firewall } from "./firewall.ts";
import { hasImage, programOf, pullImage } from "./images.ts";
import { confirms, knock, type TcpAddress } from "./knock.ts";
import { ATTEMPT, DEPLOYMENT, HOST_PORT, INIT, labelFilter, ROLE, WORKSPACE } from "./labels.ts";
import { listeningInside } from "./listening-inside.ts";
import { relayLoopback } from "./loopback-relay.ts";
import { ensureNetwork, type WorkspaceNetwork } from "./network.ts";
import { placeOfThisProcess } from "./network-place.ts";
import { SharedQuestion } from "./shared-question.ts";
import { countHome, workOf } from "./work.ts";
import {
  type ContainerPlace,
  FULL_SHARES,
  HOME,
  hasSteps,
  IDE_PORT,
  macOf,
  nameOf,
  type WorkspaceLimits,
  workspaceContainer,
} from "./workspace-container.ts";

export interface DockerRuntimeOptions {
  readonly engine: Engine;
  readonly deploymentId: string;
  readonly volumes: Pick<Volumes, "inspect" | "identity" | "freeSpace">;
  readonly hostPorts: PortRange;
  readonly limits: WorkspaceLimits;
  /** `*` at the end of an entry matches any rest. */
  readonly imageAllowlist: readonly string[];
  /** Our own image, which also sets the firewall. */
  readonly jobImage: string;
  readonly reach: Reach;
  /** Where a port of a workspace is served, with `{{port}}` in it, for the links that the IDE shows. */
  readonly portUrl?: (nameInHosts: string) => string;
  readonly logger?: Pick<Logger, "warn">;
}

/** Workspaces as containers of a Docker engine on this machine. */
export class DockerRuntime implements Runtime {
  readonly kind = "docker";
  readonly ownPorts = [IDE_PORT];
  readonly takes = { hostName: true, size: true, init: true, files: true, prelude: true, pullCredential: true };
  readonly giveUp = null;
  readonly hostPorts: PortRange;
  readonly confirms = confirms;
  readonly #options: DockerRuntimeOptions;
  readonly #engine: Engine;
  readonly #firewall: Firewall;
  /** The engine starts three programs to answer it. */
  readonly #info: SharedQuestion<{ readonly ID: string }>;
  /** A container was not reached at its own address, so none is looked for there any more. */
  #mustPublish = false;

  constructor(options: DockerRuntimeOptions) {
    this.#options = options;
    this.#engine = options.engine;
    this.hostPorts = options.hostPorts;
    this.#info = new SharedQuestion(() => options.engine.need("GET", "/info"));
    this.#firewall = new Firewall(options.engine, options.deploymentId, options.jobImage, options.reach);
  }

  /** Sets the rules of the firewall, as every start does. */
  async keepApart(): Promise<void> {
    await this.#firewall.ensure();
  }

  async engineId(): Promise<string> {
    return (await this.#info.ask()).ID;
  }

  list(): Promise<ContainerSeen[]> {
    return this.#list({});
  }

  inspect(workspaceId: string): Promise<ContainerSeen[]> {
    return this.#list({ [WORKSPACE]: workspaceId });
  }

  async #list(labels: Record<string, string>): Promise<ContainerSeen[]> {
    const filters = labelFilter({ [DEPLOYMENT]: this.#options.deploymentId, [ROLE]: "workspace", ...labels });
    const query = { all: "true", filters };
    const listed = await this.#engine.need<ListedContainer[]>("GET", "/containers/json", { query });
    return await Promise.all(listed.map((container) => this.#withReason(toSeen(container), container.Labels)));
  }

  /** The list does not say why a program was killed, or failed before it began; of the few that were it is asked. */
  async #withReason(seen: ContainerSeen, labels: ListedContainer["Labels"]): Promise<ContainerSeen> {
    if (seen.exitCode === INIT_FAILED && labels[INIT] !== undefined) {
      const ended = initFailure(await readLogs(this.#engine, seen.id, LAST_WORDS));
      return ended === null ? seen : { ...seen, ended };
    }
    if (seen.exitCode !== KILLED) return seen;
    const container = await inspectContainer(this.#engine, seen.id);
    return container?.State.OOMKilled === true ? { ...seen, ended: { code: "out_of_memory" } } : seen;
  }

  async ensureImage(
    imageRef: string,
    onWaiting: OnWaiting,
    signal: AbortSignal,
    credential?: PullCredential,
  ): Promise<void> {
    requireAllowed(imageRef, this.#options.imageAllowlist);
    if (await hasImage(this.#engine, imageRef)) return;
    await pullImage(this.#engine, imageRef, onWaiting, signal, credential);
  }

  async start(spec: StartSpec, signal: AbortSignal): Promise<{ containerId: string; address: Address }> {
    const { deploymentId, imageAllowlist } = this.#options;
    const hostPort = this.#requirePort(spec);
    requireTaken(spec, this.takes);
    requireAllowed(spec.imageRef, imageAllowlist);
    // The engine would make a missing volume up and fill it from the image; then an empty home would look healthy.
    await requireFinishedHome(this.#options.volumes, spec);
    signal.throwIfAborted();
    const [mountpoint, [network, enginePlace], program] = await Promise.all([
      this.#mountpoint(spec.volume),
      this.#network(hostPort),
      hasSteps(spec) ? programOf(this.#engine, spec.imageRef) : [],
    ]);
    const place = { deploymentId, network, mountpoint, program };
    if (!this.#mustPublish && enginePlace === placeOfThisProcess()) {
      const containerId = await this.#launch(spec, { ...place, publishedPort: null }, signal);
      const address = { kind: "tcp", host: network.host, port: IDE_PORT, mac: macOf(spec.workspaceId) } as const;
      if (await this.#isReached(containerId, address)) return { containerId, address };
      if (!this.#mustPublish) this.#options.logger?.warn({ engine: this.#engine.name }, UNREACHED);
      this.#mustPublish = true;
      await this.remove(containerId, 0);
    }
    const containerId = await this.#launch(spec, { ...place, publishedPort: hostPort }, signal);
    return { containerId, address: publishedAt(hostPort) };
  }

  /** Where a job of this workspace works in its stead: on a finished home, in the workspace's network behind its firewall. */
  async placeAtRest(
    spec: Pick<StartSpec, "workspaceId" | "volume" | "hostPort">,
  ): Promise<Pick<ContainerPlace, "network" | "mountpoint"> & { readonly limits: WorkspaceLimits }> {
    const hostPort = this.#requirePort(spec);
    await requireFinishedHome(this.#options.volumes, spec);
    const [mountpoint, [network]] = await Promise.all([this.#mountpoint(spec.volume), this.#network(hostPort)]);
    return { mountpoint, network, limits: this.#options.limits };
  }

  /** The same for something that has no home and no port, in one of a few networks that no workspace ever has. */
  async placeApart(slot: number): Promise<{ readonly network: WorkspaceNetwork; readonly limits: WorkspaceLimits }> {
    const { deploymentId, hostPorts, limits } = this.#options;
    const [network] = await Promise.all([
      ensureNetwork(this.#engine, deploymentId, `x${slot}`, hostPorts.to - hostPorts.from + 1 + slot),
      this.#firewall.ensure(),
    ]);
    return { network, limits };
  }

  #requirePort({ hostPort, workspaceId }: Pick<StartSpec, "workspaceId" | "hostPort">): number {
    const { from, to } = this.#options.hostPorts;
    if (hostPort !== null && hostPort >= from && hostPort <= to) return hostPort;
    throw new OperationFailure("ActionFailed", `No host port is reserved for workspace ${workspaceId}.`);
  }

  async #network(hostPort: number): Promise<[WorkspaceNetwork, string]> {
    const { deploymentId, hostPorts } = this.#options;
    return await Promise.all([
      ensureNetwork(this.#engine, deploymentId, hostPort, hostPort - hostPorts.from),
      this.#firewall.ensure(),
    ]);
  }

  async #launch(spec: StartSpec, place: ContainerPlace, signal: AbortSignal): Promise<string> {
    const portUrl = this.#options.portUrl?.(spec.nameInHosts ?? spec.workspaceId) ?? null;
    const body = workspaceContainer(spec, place, this.#options.limits, portUrl);
    const options = { query: { name: nameOf(spec) }, signal, use: "workspace" } as const;
    const containerId = await createContainer(this.#engine, body, options);
    const start = () => this.#engine.need("POST", `/containers/${containerId}/start`, { signal, timeoutMs: 60_000 });
    await (spec.files === undefined ? start() : this.#givingFiles(containerId, spec.files, start));
    return containerId;
  }

  /**
   * Through its input, which the engine keeps nowhere. Connected before it begins: should this server end in between, so
   * does the input, and the container that got too little.
   */
  async #givingFiles(containerId: string, files: readonly GivenFile[], start: () => Promise<unknown>): Promise<void> {
    const input = await this.#engine.hijack(`/containers/${containerId}/attach`, { stream: "1", stdin: "1" });
    try {
      await start();
    } catch (error) {
      input.destroy();
      throw error;
    }
    input.resume().end(filesTar(files));
  }

  /** One that has ended already counts as reached: that it ended, and how, is told by its state. */
  async #isReached(containerId: string, address: TcpAddress): Promise<boolean> {
    const met = await knock(address);
    if (met === "container") return true;
    if ((await inspectContainer(this.#engine, containerId))?.State.Running !== true) return true;
    if (met === "nobody") return false;
    const what = `Another container answers at ${address.host}, the address of container ${containerId}.`;
    throw new OperationFailure("ActionFailed", what);
  }

  async answers(address: Address): Promise<boolean> {
    return (await answersHealthz(address)) && this.confirms(address);
  }

  async cameUp(containerId: string): Promise<void> {
    await this.#engine.need("POST", `/containers/${containerId}/update`, { body: { CpuShares: FULL_SHARES } });
  }

  async #mountpoint(volume: string): Promise<string> {
    const { Mountpoint } = await this.#engine.need<{ Mountpoint: string }>("GET", `/volumes/${volume}`);
    return Mountpoint;
  }

  async remove(containerId: string, graceSeconds: number): Promise<void> {
    const container = await inspectContainer(this.#engine, containerId);
    if (container === null) return;
    if (container.Config.Labels[DEPLOYMENT] !== this.#options.deploymentId) {
      throw new OperationFailure("ActionFailed", `Container ${containerId} is not of this deployment.`);
    }
    const timeoutMs = graceSeconds * 1_000 + 30_000;
    await this.#engine.call("POST", `/containers/${containerId}/stop`, {
      query: { t: String(graceSeconds) },
      timeoutMs,
    });
    await removeContainer(this.#engine, containerId);
  }

  async logs(containerId: string, lines: number): Promise<string> {
    return await readLogs(this.#engine, containerId, lines);
  }

  /** Nothing bounds a home here but the engine's disk. */
  async usage(containers: readonly ContainerSeen[]): Promise<ReadonlyMap<string, UsageSeen>> {
    const [disk, work] = await Promise.all([
      this.#options.volumes.freeSpace().then(
        ({ freeBytes, totalBytes }) => seen({ usedBytes: totalBytes - freeBytes, totalBytes, shared: true }),
        () => unseen("unanswered"),
      ),
      workOf(this.#engine, containers),
    ]);
    return new Map([...work].map(([id, own]) => [id, { ...own, disk }]));
  }

  homeBytes({ id }: ContainerSeen): Promise<Seen<number>> {
    return countHome(this.#engine, id);
  }

  async lookIntoHome(containerId: string, folders: readonly string[]): Promise<HomeLook> {
    return readLook(await this.#say(containerId, lookCommand(HOME, folders), LOOK_LIMITS));
  }

  async emptyInHome(containerId: string, folders: readonly string[]): Promise<Emptied> {
    return readEmptied(await this.#say(containerId, emptyCommand(HOME, folders), EMPTY_LIMITS));
  }

  async #say(containerId: string, command: readonly string[], limits: HearLimits): Promise<string> {
    const container = await inspectContainer(this.#engine, containerId);
    if (container?.Config.Labels[DEPLOYMENT] !== this.#options.deploymentId || !container.State.Running) {
      throw new OperationFailure("ActionFailed", `Container ${containerId} does not run.`);
    }
    return await listen(this.#engine, containerId, command, limits);
  }

  /** As the container's own kernel tables tell. */
  async portAddress(containerId: string, port: number): Promise<Address | null> {
    const container = await inspectContainer(this.#engine, containerId);
    if (container?.State.Running !== true || port === IDE_PORT) return null;
    const address = ownAddressOf(container, port);
    if (address === null) return null;
    const { host } = address;
    const tables = await execute(this.#engine, containerId, ["cat", "/proc/net/tcp", "/proc/net/tcp6"]);
    const sockets = parseListening(tables).filter((socket) => socket.port === port);
    if (sockets.length === 0) return null;
    const reachable = sockets.some((socket) => socket.everywhere || socket.host === host);
    if (!reachable && !(await relayLoopback(this.#engine, containerId, host, port))) return null;
    return address;
  }

  async listening(containerId: string): Promise<readonly ListeningPort[]> {
    const ports = await listeningInside(this.#engine, containerId);
    return ports.filter(({ port }) => port !== IDE_PORT);
  }

  watch(onHint: (workspaceId: string) => void, signal: AbortSignal): Promise<void> {
    const filters = labelFilter(
      { [DEPLOYMENT]: this.#options.deploymentId, [ROLE]: "workspace" },
      { type: ["container"], event: ["start", "die", "oom", "destroy", "pause", "unpause"] },
    );
    // An engine that was away may have been away with its host, and the host's rules.
    return watchEvents(this.#engine, filters, { onHint, onReconnect: () => this.#firewall.forget() }, signal);
  }
}

const LAST_WORDS = 40;
/** 128 and the number of SIGKILL, which is how the kernel ends what uses too much memory. */
const KILLED = 137;

const UNREACHED =
  "workspaces are published on loopback, which is slower: a container was not reached at its own address although the engine is on this machine";

const publishedAt = (hostPort: number): TcpAddress => ({ kind: "tcp", host: "127.0.0.1", port: hostPort });

/** As its network has it; null when it has none. */
function ownAddressOf({ NetworkSettings }: Pick<ListedContainer, "NetworkSettings">, port: number): TcpAddress | null {
  const [network] = Object.values(NetworkSettings.Networks);
  const { IPAddress: host = "", MacAddress: mac = "" } = network ?? {};
  return host === "" || mac === "" ? null : { kind: "tcp", host, port, mac };
}

function toSeen(container: ListedContainer): ContainerSeen {
  const { Labels: labels } = container;
  const running = container.State === "running";
  const published = labels[HOST_PORT];
  const address = published === undefined ? ownAddressOf(container, IDE_PORT) : publishedAt(Number(published));
  return {
    id: container.Id,
    workspaceId: labels[WORKSPACE] ?? "",
    volume: container.Mounts.find((mount) => mount.Type === "volume")?.Name ?? null,
    attempt: labels[ATTEMPT] ?? null,
    // Paused and dead ones serve nobody and need what an ended one needs.
    state: running ? "running" : container.State === "created" ? "created" : "exited",
    address: running ? address : null,
    exitCode: exitCodeOf(container.Status),
  };
}

function exitCodeOf(status: string): number | null {
  const code = /^Exited \((\d+)\)/.exec(status)?.[1];
  return code === undefined ? null : Number(code);
}

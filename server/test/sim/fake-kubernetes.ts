import { requireTaken } from "#adapters/runtime-parts/start-extras.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Address } from "#core/rows/workspace.ts";
import { failureOf, OperationFailure } from "#ports/failure.ts";
import type { Runtime, StartSpec } from "#ports/runtime.ts";
import type { Volumes } from "#ports/volumes.ts";
import { type EngineWatchers, NOTHING } from "./fake-engine.ts";
import type { Kubernetes, Pod } from "./kubernetes.ts";
import type { SimProcess } from "./process.ts";
import type { Call } from "./sim.ts";
import type { SimVolume, World } from "./world.ts";

const FIRST_LOOK_MS = 500;
const LAST_LOOK_MS = 15_000;
const POD_GOING_MS = 60_000;
const CLAIM_GOING_MS = 120_000;

/** One request to the cluster after the other, each of which may go wrong by itself. */
class Requests {
  readonly world: World;
  readonly process: SimProcess;
  readonly #port: "runtime" | "volumes";

  constructor(world: World, process: SimProcess, port: "runtime" | "volumes") {
    this.world = world;
    this.process = process;
    this.#port = port;
  }

  get cluster(): Kubernetes {
    const { kubernetes } = this.world.engine;
    if (kubernetes === null) throw new Error("the engine is no cluster");
    return kubernetes;
  }

  read<T>(name: string, about: string, effect: () => T): Promise<T> {
    return this.#call(name, about, true, effect, {});
  }

  change<T>(name: string, about: string, effect: () => T): Promise<T> {
    return this.#call(name, about, false, effect, { again: () => void effect() });
  }

  #call<T>(name: string, about: string, reads: boolean, effect: () => T, more: Partial<Call<T>>): Promise<T> {
    return this.world.sim.call<T>({
      process: this.process,
      port: this.#port,
      name,
      about,
      reads,
      effect,
      timeoutMs: 60_000,
      fault: (why) => new OperationFailure("Unreachable", `The cluster: ${why}.`),
      ...more,
    });
  }

  /** Looks until there is an answer. Null: there was none in time, or nobody waits any more. */
  async until<T>(look: () => Promise<T | null>, limitMs: number, signal?: AbortSignal): Promise<T | null> {
    const { clock } = this.process;
    const limit = clock.monotonicMs() + limitMs;
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LAST_LOOK_MS)) {
      const answer = await look();
      if (answer !== null) return answer;
      if (clock.monotonicMs() >= limit) return null;
      await clock.sleep(waitMs, signal);
      if (signal?.aborted === true) return null;
    }
  }
}

/** The cluster's pods as one process sees them. */
export function kubernetesRuntime(
  world: World,
  process: SimProcess,
  watchers: EngineWatchers,
  onStart: (spec: StartSpec) => void = () => undefined,
): Runtime {
  const ask = new Requests(world, process, "runtime");
  const seen = (): ContainerSeen[] =>
    ask.cluster
      .shown()
      .filter((pod) => ask.cluster.ways.showsAll || (pod.goingSince === null && pod.container.state !== "created"))
      .filter((pod) => ask.cluster.ways.neverForces || pod.node === null || pod.node.state === "up")
      .map((pod) => seenOf(pod, ask.cluster.silentNode(pod)));
  const create = (spec: StartSpec, signal: AbortSignal): string => {
    requireHome(ask, spec);
    if (signal.aborted) throw new OperationFailure("ActionFailed", "The start was given up.");
    return ask.cluster.createPod(spec).container.id;
  };
  /** How far the pod has come; null while it waits. */
  const begun = async (id: string, imageRef: string): Promise<Address | null> =>
    await ask.read("pod", id, () => {
      const pod = ask.cluster.pod(id);
      if (pod === null) throw new OperationFailure("ActionFailed", `The pod ${id} was removed by somebody else.`);
      const waits = stateOf(pod) === "created";
      if (waits && world.badImages.has(imageRef))
        throw new OperationFailure("ImagePullFailed", `Image ${imageRef} cannot be pulled.`);
      return waits ? null : addressOf(pod);
    });
  return {
    kind: "simulated",
    takes: NOTHING,
    usage: null,
    homeBytes: null,
    lookIntoHome: null,
    emptyInHome: null,
    hostPorts: null,
    engineId: () => ask.read("engineId", "", () => world.engine.engineId),
    list: () => ask.read("list", "", seen),
    inspect: (id) => ask.read("inspect", id.slice(0, 4), () => seen().filter((one) => one.workspaceId === id)),
    ensureImage: () => Promise.resolve(),
    start: async (spec, signal) => {
      onStart(spec);
      requireTaken(spec, NOTHING);
      const about = `${spec.volume.slice(-8)} for attempt ${spec.attempt.slice(0, 8)}`;
      const id = await ask.change("start", about, () => create(spec, signal));
      try {
        const address = await ask.until(() => begun(id, spec.imageRef), Number.POSITIVE_INFINITY, signal);
        if (address === null) throw new OperationFailure("ActionFailed", "The start was given up.");
        return { containerId: id, address };
      } catch (error) {
        if (ask.cluster.ways.removesGivenUp)
          await ask.change("giveUp", id, () => ask.cluster.deletePod(id)).catch(() => undefined);
        throw error;
      }
    },
    confirms: () => true,
    answers: (address) =>
      ask.read("answers", "", () => {
        const pod = ask.cluster.shown().find((one) => isAt(one, address));
        if (pod === undefined || pod.node?.state !== "up") return false;
        return pod.container.state === "running" && pod.container.answersAt <= world.sim.scheduler.now;
      }),
    giveUp: async ({ container, node }) => {
      const isStranded = await ask.read("stranded", container, () => {
        const pod = ask.cluster.pod(container);
        if (pod !== null && (ask.cluster.silentNode(pod) !== node || ask.cluster.isUp(node)))
          throw answersAgain(world, node);
        return pod !== null;
      });
      if (!isStranded) return;
      await ask.change("forget", container, () => {
        const pod = ask.cluster.pod(container);
        // It was heard of since, and is another version.
        if (pod !== null && ask.cluster.silentNode(pod) !== node) throw answersAgain(world, node);
        world.sim.sometimes("cluster: a pod was given up by an operator's word");
        ask.cluster.forcePod(container);
      });
    },
    remove: async (id, graceSeconds) => {
      const forced = await ask.change("remove", id, () => {
        const pod = ask.cluster.pod(id);
        const force = pod !== null && !ask.cluster.ways.neverForces && pod.node !== null && pod.node.state !== "up";
        if (force) ask.cluster.forcePod(id);
        else ask.cluster.deletePod(id);
        return force;
      });
      if (forced || !ask.cluster.ways.waitsUntilGone) return;
      const gone = (): Promise<true | null> => ask.read("pod", id, () => (ask.cluster.pod(id) === null ? true : null));
      if ((await ask.until(gone, graceSeconds * 1_000 + POD_GOING_MS)) !== null) return;
      world.sim.sometimes("cluster: a pod was still there when its removal was given up");
      throw new OperationFailure("Unreachable", `The pod ${id} is still being removed, and may still write.`);
    },
    logs: (id) => ask.read("logs", id, () => "last words"),
    portAddress: (id) => ask.read("portAddress", id, () => null),
    listening: (id) => ask.read("listening", id, () => []),
    watch: (onHint, signal) => watchers.watch(process, onHint, signal),
  };
}

const addressOf = ({ container }: Pod): Address => ({
  kind: "tcp",
  host: container.id,
  port: container.port,
  mac: container.id,
});

const isAt = ({ container }: Pod, address: Address): boolean =>
  address.kind === "tcp" && address.host === container.id && address.port === container.port;

const stateOf = ({ container, told }: Pod): ContainerSeen["state"] => told ?? container.state;

function answersAgain({ sim }: World, node: string): OperationFailure {
  sim.sometimes("cluster: a word was refused, because its node answers");
  return failureOf("ActionFailed", "node_answers", { node });
}

function seenOf(pod: Pod, silentNode: string | null): ContainerSeen {
  const { id, workspaceId, volume, attempt, exitCode } = pod.container;
  const state = stateOf(pod);
  return {
    id,
    workspaceId,
    volume,
    attempt,
    state,
    address: state === "running" ? addressOf(pod) : null,
    exitCode: state === "exited" ? exitCode : null,
    ...(silentNode === null ? {} : { silentNode }),
  };
}

/** What every use of a claim asks first: it is there, it is a home, and nobody has deleted it. */
function requireHome(ask: Requests, { volume: name, workspaceId }: StartSpec): void {
  const volume = needClaim(ask, name);
  if (volume.identity?.workspaceId === workspaceId) return;
  throw new OperationFailure("ActionFailed", `Volume ${name} or its identity is missing.`);
}

function needClaim({ world, cluster }: Requests, name: string): SimVolume {
  const volume = world.engine.volumes.get(name);
  if (volume === undefined) throw new OperationFailure("ActionFailed", `there is no volume ${name}.`);
  if (cluster.claim(name).goingSince === null || !cluster.ways.refusesGoingClaims) return volume;
  world.sim.sometimes("cluster: a claim that is being deleted was not used");
  throw new OperationFailure("ActionFailed", `the claim ${name} was deleted by somebody.`);
}

/** The cluster's claims as one process sees them. */
export function kubernetesVolumes(world: World, process: SimProcess): Volumes {
  const ask = new Requests(world, process, "volumes");
  const short = (name: string): string => name.slice(-8);
  const begin = (name: string): boolean => {
    const { cluster } = ask;
    if (cluster.isUsed(name)) throw new OperationFailure("ActionFailed", `the volume ${name} is in use.`);
    const going = cluster.claims.get(name)?.goingSince != null;
    if (cluster.begun.has(name)) world.sim.sometimes("cluster: a removal that was begun before was taken up");
    // Where nothing is, nothing is begun: what a late request makes of it later has no record, and is told and kept.
    if (world.engine.volumes.has(name)) cluster.begun.add(name);
    cluster.deleteClaim(name);
    return going;
  };
  return {
    list: () =>
      ask.read("list", "", () =>
        [...world.engine.volumes.values()].map(({ name, workspaceId, attempt }) => ({ name, workspaceId, attempt })),
      ),
    inspect: (name) =>
      ask.read("inspect", short(name), () => {
        const volume = world.engine.volumes.get(name);
        return volume === undefined ? null : { name, workspaceId: volume.workspaceId, attempt: volume.attempt };
      }),
    create: ({ name, workspaceId, attempt }) =>
      ask.change("create", short(name), () => {
        ask.cluster.requireQuota();
        const isMade = !ask.cluster.lost.has(name) && world.engine.createVolume(name, workspaceId, attempt);
        // Asked for twice, it may be made after it was removed: the removal of this one nobody has begun.
        if (isMade) ask.cluster.begun.delete(name);
        return isMade;
      }),
    seal: (name, identity) =>
      ask.change("seal", short(name), () => {
        ask.cluster.requireQuota();
        const volume = needClaim(ask, name);
        if (volume.identity !== null && JSON.stringify(volume.identity) !== JSON.stringify(identity)) {
          throw new OperationFailure("ActionFailed", `Volume ${name} has an identity already.`);
        }
        volume.identity = identity;
        world.changed();
      }),
    identity: (name) => ask.read("identity", short(name), () => needClaim(ask, name).identity),
    remove: async (name) => {
      const asked = { askedAt: world.sim.scheduler.now };
      const going = await ask.change("remove", short(name), () => begin(name));
      if (going && !ask.cluster.ways.letsGoAgain) return;
      await ask.change("letGo", short(name), () => ask.cluster.letGo(name, asked));
      const gone = (): Promise<true | null> =>
        ask.read("claim", short(name), () => (world.engine.volumes.has(name) ? null : true));
      if ((await ask.until(gone, CLAIM_GOING_MS)) !== null) return;
      throw new OperationFailure("Unreachable", `the claim ${name} is still being removed.`);
    },
    grow: null,
    // Every claim has its own size, and nobody can say what a whole cluster has left.
    freeSpace: () => Promise.resolve({ freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER }),
  };
}

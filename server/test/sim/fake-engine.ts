import { requireTaken } from "#adapters/runtime-parts/start-extras.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Address } from "#core/rows/workspace.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Runtime, StartSpec } from "#ports/runtime.ts";
import type { Volumes } from "#ports/volumes.ts";
import type { SimProcess } from "./process.ts";
import type { Call } from "./sim.ts";
import type { Removal, SimContainer, World } from "./world.ts";

/** No program runs in the simulation that could make use of it. */
export const NOTHING: Runtime["takes"] = {
  hostName: false,
  size: false,
  init: false,
  files: false,
  prelude: false,
  pullCredential: false,
};

/** The container engine as one process sees it. */
export function fakeRuntime(
  world: World,
  process: SimProcess,
  watchers: EngineWatchers,
  onStart: (spec: StartSpec) => void = () => undefined,
): Runtime {
  const { sim } = world;
  const call = <T>(name: string, about: string, reads: boolean, effect: () => T, more: Partial<Call<T>> = {}) =>
    sim.call<T>({
      process,
      port: "runtime",
      name,
      about,
      reads,
      effect,
      timeoutMs: 60_000,
      fault: (why) => new OperationFailure("Unreachable", `The engine: ${why}.`),
      ...more,
    });
  return {
    kind: "simulated",
    takes: NOTHING,
    usage: null,
    homeBytes: null,
    lookIntoHome: null,
    emptyInHome: null,
    hostPorts: { from: 30_000, to: 30_100 },
    engineId: () => call("engineId", "", true, () => world.engine.engineId),
    list: () => call("list", "", true, () => [...world.engine.containers.values()].map(seenOf)),
    inspect: (id) => call("inspect", id.slice(0, 4), true, () => world.engine.containersOf(id).map(seenOf)),
    ensureImage: (imageRef) =>
      call("ensureImage", imageRef, true, () => {
        if (!world.badImages.has(imageRef)) return;
        throw new OperationFailure("ImagePullFailed", `Image ${imageRef} cannot be pulled.`);
      }),
    start: (spec, signal) => {
      onStart(spec);
      const run = (): { containerId: string; address: Address } => {
        requireTaken(spec, NOTHING);
        const volume = world.engine.volumes.get(spec.volume);
        if (volume?.identity?.workspaceId !== spec.workspaceId) {
          throw new OperationFailure("ActionFailed", `Volume ${spec.volume} or its identity is missing.`);
        }
        if (signal.aborted) throw new OperationFailure("ActionFailed", "The start was given up.");
        if (world.engine.containersOf(spec.workspaceId).length > 0 || world.engine.isBeingPrepared(spec.workspaceId)) {
          throw new OperationFailure("ActionFailed", `The name ws-${spec.workspaceId} is taken.`);
        }
        const container = startContainer(world.engine, spec.workspaceId, spec.attempt, spec.volume, spec.hostPort ?? 0);
        return { containerId: container.id, address: addressOf(container) };
      };
      return call("start", `${spec.volume.slice(-8)} for attempt ${spec.attempt.slice(0, 8)}`, false, run, {
        again: () => void run(),
      });
    },
    confirms: () => true,
    answers: (address) =>
      call("answers", "", true, () => {
        for (const container of world.engine.containers.values()) {
          if (address.kind === "tcp" && container.port === address.port && container.state === "running") {
            return container.answersAt <= sim.scheduler.now;
          }
        }
        return false;
      }),
    cameUp: (id) => {
      const run = (): void => {
        const container = world.engine.containers.get(id);
        if (container === undefined) throw new OperationFailure("ActionFailed", `There is no container ${id}.`);
        container.behind = false;
      };
      return call("cameUp", id, false, run);
    },
    remove: (id) =>
      call("remove", id, false, () => world.engine.removeContainer(id), {
        again: () => world.engine.removeContainer(id),
      }),
    giveUp: null,
    logs: (id) => call("logs", id, true, () => "last words"),
    portAddress: (id) => call("portAddress", id, true, () => null),
    listening: (id) => call("listening", id, true, () => []),
    watch: (onHint, signal) => watchers.watch(process, onHint, signal),
  };
}

/** Starts one; in a cluster, asks for a pod that begins when the cluster gets to it. */
export function startContainer(
  world: World,
  workspaceId: string,
  attempt: string | null,
  volume: string | null,
  port: number,
): SimContainer {
  const container = newContainer(world, workspaceId, attempt, volume, port);
  world.kubernetes?.addPod(container, "image:1");
  return container;
}

export function newContainer(
  world: World,
  workspaceId: string,
  attempt: string | null,
  volume: string | null,
  port: number,
): SimContainer {
  const { random, scheduler } = world.sim;
  const container: SimContainer = {
    id: `container-${world.serial()}`,
    workspaceId,
    attempt,
    volume,
    port,
    state: "running",
    exitCode: 1,
    answersAt: scheduler.now + random.between(0, 8_000),
    behind: world.kubernetes === null,
  };
  world.containers.set(container.id, container);
  world.changed();
  world.onEngineHint(workspaceId);
  return container;
}

const addressOf = (container: SimContainer): Address => ({ kind: "tcp", host: "127.0.0.1", port: container.port });

const seenOf = (container: SimContainer): ContainerSeen => ({
  id: container.id,
  workspaceId: container.workspaceId,
  volume: container.volume,
  attempt: container.attempt,
  state: container.state,
  address: container.state === "running" ? addressOf(container) : null,
  exitCode: container.state === "exited" ? container.exitCode : null,
  ...(container.ended === undefined ? {} : { ended: container.ended }),
});

/** Engine events: hints that may be late or lost, and a stream that ends when the engine restarts. */
export class EngineWatchers {
  readonly #world: World;
  readonly #open: Map<(workspaceId: string) => void, SimProcess> = new Map();
  /** Chance that a hint never arrives. */
  loss = 0;
  /** The stream is open and says nothing any more. */
  deaf = false;

  constructor(world: World) {
    this.#world = world;
    world.onEngineHint = (id) => this.#emit(id);
  }

  watch(process: SimProcess, onHint: (workspaceId: string) => void, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      this.#open.set(onHint, process);
      signal.addEventListener(
        "abort",
        () => {
          this.#open.delete(onHint);
          resolve();
        },
        { once: true },
      );
    });
  }

  #emit(workspaceId: string): void {
    const { random, scheduler } = this.#world.sim;
    if (this.deaf) return;
    for (const [onHint, process] of this.#open) {
      if (!process.alive) {
        this.#open.delete(onHint);
        continue;
      }
      if (random.chance(this.loss)) continue;
      scheduler.after(random.between(1, 500), () => process.deliver(() => onHint(workspaceId)));
    }
  }
}

/** Volumes as one process sees them. */
export function fakeVolumes(world: World, process: SimProcess): Volumes {
  const { sim } = world;
  const call = <T>(name: string, about: string, reads: boolean, effect: () => T, again?: () => void) =>
    sim.call<T>({
      process,
      port: "volumes",
      name,
      about,
      reads,
      effect,
      timeoutMs: 60_000,
      fault: (why) => new OperationFailure("Unreachable", `Volumes: ${why}.`),
      ...(again === undefined ? {} : { again }),
    });
  const short = (name: string): string => name.slice(-8);
  const remove = (name: string, asked: Removal): void => {
    if (world.engine.referencing(name).length > 0) {
      throw new OperationFailure("ActionFailed", `Volume ${name} is in use.`);
    }
    world.engine.removeVolume(name, asked);
  };
  return {
    list: () =>
      call("list", "", true, () =>
        [...world.engine.volumes.values()].map(({ name, workspaceId, attempt }) => ({ name, workspaceId, attempt })),
      ),
    inspect: (name) =>
      call("inspect", short(name), true, () => {
        const volume = world.engine.volumes.get(name);
        return volume === undefined ? null : { name, workspaceId: volume.workspaceId, attempt: volume.attempt };
      }),
    create: ({ name, workspaceId, attempt }) => {
      const run = (): boolean => {
        if (isFull(world)) throw new OperationFailure("DiskFull", "No space left on device.");
        return world.engine.createVolume(name, workspaceId, attempt);
      };
      return call("create", short(name), false, run, () => void run());
    },
    grow: null,
    seal: (name, identity) => {
      const run = (): void => {
        const volume = world.engine.volumes.get(name);
        if (volume === undefined) throw new OperationFailure("ActionFailed", `Volume ${name} is not there.`);
        if (volume.identity !== null && JSON.stringify(volume.identity) !== JSON.stringify(identity)) {
          throw new OperationFailure("ActionFailed", `Volume ${name} has an identity already.`);
        }
        volume.identity = identity;
        world.changed();
      };
      return call("seal", short(name), false, run, run);
    },
    identity: (name) =>
      call("identity", short(name), true, () => {
        const volume = world.engine.volumes.get(name);
        if (volume === undefined) throw new OperationFailure("ActionFailed", `Volume ${name} is not there.`);
        return volume.identity;
      }),
    remove: (name) => {
      const asked = { askedAt: sim.scheduler.now };
      const run = (): void => remove(name, asked);
      return call("remove", short(name), false, run, run);
    },
    freeSpace: () => call("freeSpace", "", true, () => ({ freeBytes: world.freeBytes, totalBytes: 200 * 1024 ** 3 })),
  };
}

export const isFull = (world: World): boolean => world.freeBytes < 1024 ** 2;

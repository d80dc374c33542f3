import type { ContainerSeen } from "#core/rows/observation.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { VolumeSeen } from "#ports/volumes.ts";
import type { Cluster } from "./cluster.ts";
import type { Kubernetes } from "./kubernetes.ts";
import { FAITHFUL, type Ways } from "./kubernetes-ways.ts";
import type { Plant } from "./plant.ts";
import { pause } from "./plant-tools.ts";

const HOUR = 3_600_000;

/** A cluster whose ways differ, and where two pods on one node may have the same claim. */
const unlike =
  (ways: Partial<Ways>, favoured: Kubernetes["favoured"] = null): NonNullable<Plant["prepare"]> =>
  ({ world: { kubernetes } }) => {
    if (kubernetes !== null) Object.assign(kubernetes, { ways: { ...FAITHFUL, ...ways }, shared: true, favoured });
  };

/** Pods and claims as a cache has them: as old as its last refresh. */
function cacheOf({ sim, world }: Cluster, refreshMs: number) {
  let at = Number.NEGATIVE_INFINITY;
  let pods: ContainerSeen[] = [];
  let claims: VolumeSeen[] = [];
  return async (deps: Parameters<NonNullable<Plant["deps"]>>[0]) => {
    if (sim.scheduler.now - at > refreshMs && world.otherEngine === null) {
      at = sim.scheduler.now;
      [pods, claims] = await Promise.all([deps.runtime.list(), deps.volumes.list()]);
    }
    return { pods, claims };
  };
}

/** Ways in which others lost homes, or trust, on Kubernetes. */
export const ON_KUBERNETES: readonly Plant[] = [
  {
    name: "kubeForgets",
    what: "pods that have not begun are not looked for, and a start that timed out leaves its pod",
    caughtBy: ["I12", "I21"],
    engine: "kubernetes",
    prepare: unlike({ showsAll: false, removesGivenUp: false, oneName: false }),
  },
  {
    name: "kubeAccepted",
    what: "a pod whose removal was accepted is taken for gone, and the next one starts beside it",
    caughtBy: ["I21"],
    engine: "kubernetes",
    prepare: unlike({ waitsUntilGone: false, showsAll: false, oneName: false }),
  },
  {
    name: "kubeDeadNode",
    what: "pods on a node that does not answer are taken for gone and removed by force",
    caughtBy: ["I21", "I9", "I3"],
    engine: "kubernetes",
    prepare: unlike({ neverForces: false }, ["node_cut"]),
  },
  {
    name: "kubeWordForName",
    what: "an operator's word that a node is off is for whatever pod has the workspace's name when it is heard, and not for the one that was there",
    caughtBy: ["I21"],
    engine: "kubernetes",
    prepare: unlike({}, ["node_off", "node_cut"]),
    deps: (deps, { world: { kubernetes } }) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        giveUp: async (stranded) => {
          const { workspaceId } = kubernetes?.pods.get(stranded.container)?.container ?? {};
          const namesake = () => kubernetes?.shown().find(({ container }) => container.workspaceId === workspaceId);
          // Some middleman repeats it.
          void pause(deps, 15)
            .then(() => kubernetes?.forcePod(namesake()?.container.id ?? ""))
            .catch(() => undefined);
          await deps.runtime.giveUp?.(stranded);
        },
      },
    }),
  },
  {
    name: "kubeAttemptNames",
    what: "pods are named after their attempt, so a create that comes late makes a second one",
    caughtBy: ["I21"],
    engine: "kubernetes",
    prepare: unlike({ oneName: false }),
    deps: (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        start: (spec, signal) => {
          // Some middleman repeats it.
          void pause(deps, 15)
            .then(() => deps.runtime.start(spec, new AbortController().signal))
            .catch(() => undefined);
          return deps.runtime.start(spec, signal);
        },
      },
    }),
  },
  {
    name: "kubeWatchOnly",
    what: "the watch is believed to tell everything, and nothing is looked at in between",
    caughtBy: ["I12"],
    engine: "kubernetes",
    prepare: unlike({}, ["lost_watch", "node_drained"]),
    deps: (deps) => ({ ...deps, settings: { ...deps.settings, sweepIntervalMs: 1_000 * HOUR } }),
  },
  {
    name: "kubeStaleCache",
    what: "what a cache does not have is taken for absent",
    caughtBy: ["I20"],
    engine: "kubernetes",
    deps: (deps, cluster) => {
      const cached = cacheOf(cluster, 20 * 60_000);
      return {
        ...deps,
        runtime: {
          ...deps.runtime,
          inspect: async (id) => (await cached(deps)).pods.filter((one) => one.workspaceId === id),
        },
        volumes: {
          ...deps.volumes,
          inspect: async (name) => (await cached(deps)).claims.find((one) => one.name === name) ?? null,
        },
      };
    },
  },
  {
    name: "kubeQuotaLoss",
    what: "a start that the quota refuses tells that the home is lost",
    caughtBy: ["I20"],
    engine: "kubernetes",
    deps: (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        start: async (spec, signal) => {
          try {
            return await deps.runtime.start(spec, signal);
          } catch (error) {
            if (!String(error).includes("quota")) throw error;
            throw new OperationFailure("DataLost", "The home cannot be mounted.");
          }
        },
      },
    }),
  },
  {
    name: "kubeGoingClaim",
    what: "a pod is asked for on a claim that is being deleted, and waits for ever",
    caughtBy: ["I8"],
    engine: "kubernetes",
    prepare: unlike({ refusesGoingClaims: false }, ["claim_deleted"]),
  },
  {
    name: "kubeNoFinalizer",
    what: "claims have no finalizer, so `kubectl delete pvc` takes the home",
    caughtBy: ["I1", "I3"],
    engine: "kubernetes",
    prepare: unlike({ holdsHomes: false }, ["claim_deleted"]),
  },
  {
    name: "kubeFinalizerStays",
    what: "a claim whose removal failed halfway counts as removed, and its finalizer stays for ever",
    caughtBy: ["L"],
    engine: "kubernetes",
    prepare: unlike({ letsGoAgain: false }),
  },
  {
    name: "kubeLostClaim",
    what: "a claim whose disk was lost is made again, empty",
    caughtBy: ["I2"],
    engine: "kubernetes",
    deps: (deps, { world }) => {
      const remade = (name: string): void => {
        if (world.kubernetes?.lost.delete(name) !== true) return;
        const workspaceId = name.slice(3, 39);
        world.createVolume(name, workspaceId, "");
        const identity = { workspaceId, attempt: "", archiveKey: null, manifestDigest: null };
        Object.assign(world.volumes.get(name) ?? {}, { content: "E", identity });
      };
      return {
        ...deps,
        volumes: {
          ...deps.volumes,
          inspect: (name) => {
            remade(name);
            return deps.volumes.inspect(name);
          },
        },
      };
    },
  },
];

import { OperationFailure } from "#ports/failure.ts";
import type { Labels } from "./labels.ts";
import type { Pod } from "./objects.ts";
import { MEBIBYTE, type Placement, podObject, resources, SEALED, volumeOf } from "./pod-parts.ts";
import { mainOf, type PodWait, startOf, stateOf } from "./pod-state.ts";
import type { Pods } from "./pods.ts";
import type { Premises } from "./premises.ts";

export interface JobPodsOptions {
  readonly deploymentId: string;
  readonly jobImage: string;
  readonly placement: Placement;
}

export interface JobPodSpec {
  /** What it does, as a part of its name. */
  readonly kind: string;
  /** Different for every pod that there may be at a time. */
  readonly token: string;
  readonly workspaceId: string;
  readonly attempt: string;
  readonly claim: { readonly name: string; readonly access: "read" | "write" } | null;
  /** Secrets of the pod's own name, seen as the files of one folder. */
  readonly secrets?: { readonly folder: string; readonly count: number };
  readonly memoryBytes?: number;
  /** When the cluster ends it, whoever else is still there. */
  readonly longestSeconds?: number;
  readonly container: {
    readonly command?: readonly string[];
    readonly args?: readonly string[];
    readonly env?: object[];
  };
}

export interface JobEnd {
  /** Null when the pod ended as a whole: evicted, or its node went away. */
  readonly code: number | null;
  /** What it left as its last words. */
  readonly message: string;
}

/** How long a short step may take, with everything the cluster does before it. Then it is tried again later. */
const LIMIT_MS = 180_000;

/** Short steps of ours beside one claim: never restarted, gone when this is over. */
export class JobPods {
  readonly #options: JobPodsOptions;
  readonly #pods: Pods;
  readonly #premises: Premises;

  constructor(options: JobPodsOptions, pods: Pods, premises: Premises) {
    this.#options = options;
    this.#pods = pods;
    this.#premises = premises;
  }

  /** Rejects where no pod could be started. */
  async requirePremises(): Promise<void> {
    await this.#premises.require();
  }

  /** Runs it to its end, and resolves when its pod is gone. Rejects unless it ended by itself. */
  async run(spec: JobPodSpec): Promise<JobEnd> {
    const { name, uid } = (await this.create(spec)).metadata;
    try {
      return await this.#ended({ name, uid });
    } finally {
      await this.#pods.remove({ name, uid }, 1);
    }
  }

  async create(spec: JobPodSpec): Promise<Pod> {
    const owner = await this.#premises.require();
    const { workspaceId, attempt } = spec;
    const labels: Labels = { deploymentId: this.#options.deploymentId, role: "job", workspaceId, attempt };
    const name = `ws-${workspaceId}-${spec.kind}-${spec.token}`;
    const body = podObject(name, labels, owner, this.#options.placement, jobSpec(spec, name, this.#options.jobImage));
    const made = await this.#pods.create(body);
    if (made === null) throw new OperationFailure("ActionFailed", `The pod ${name} is there already.`);
    return made;
  }

  async #ended(id: { name: string; uid: string }): Promise<JobEnd> {
    const limit = AbortSignal.timeout(LIMIT_MS);
    let wait: PodWait | null = null;
    try {
      return await this.#pods.until(id, limit, (pod) => {
        const verdict = startOf(pod);
        if (verdict.kind === "failed") throw verdict.failure;
        wait = verdict.kind === "waiting" ? verdict.wait : null;
        return stateOf(pod).state === "exited" ? endOf(pod) : null;
      });
    } catch (error) {
      if (!limit.aborted) throw error;
      const event = await this.#pods.lastEvent(id).catch(() => null);
      const why = event?.message ?? (wait as PodWait | null)?.message ?? "";
      // A cluster without room, or a disk that is elsewhere: that passes, and then it works.
      throw new OperationFailure("Unreachable", `The pod ${id.name} did not get to its end in time: ${why}`, {
        cause: error,
      });
    }
  }
}

function endOf(pod: Pod): JobEnd {
  const ended = mainOf(pod)?.state?.terminated;
  const message = ended?.message ?? pod.status?.message ?? "";
  return { code: ended?.exitCode ?? null, message };
}

export const SECRET_KEY = "piece";
export const secretName = (pod: string, index: number): string => (index === 0 ? pod : `${pod}-${index}`);

/** As files whose names are in the order of the pieces. */
function projected(pod: string, count: number): object {
  const sources = Array.from({ length: count }, (_, index) => ({
    secret: {
      name: secretName(pod, index),
      items: [{ key: SECRET_KEY, path: String(index).padStart(4, "0") }],
    },
  }));
  return { name: "secrets", projected: { sources, defaultMode: 0o440 } };
}

function jobSpec(spec: JobPodSpec, name: string, jobImage: string): object {
  const { claim, container, secrets, longestSeconds, memoryBytes = 1024 * MEBIBYTE } = spec;
  const small = { cpus: 0.05, memoryBytes: 128 * MEBIBYTE };
  const mount = { name: "home", mountPath: "/volume", readOnly: claim?.access === "read" };
  return {
    terminationGracePeriodSeconds: 1,
    ...(longestSeconds === undefined ? {} : { activeDeadlineSeconds: longestSeconds }),
    volumes: [
      ...(claim === null ? [] : [volumeOf(claim.name)]),
      ...(secrets === undefined ? [] : [projected(name, secrets.count)]),
      { name: "tmp", emptyDir: { sizeLimit: "64Mi" } },
    ],
    containers: [
      {
        name: "job",
        image: jobImage,
        imagePullPolicy: "IfNotPresent",
        ...container,
        resources: resources(small, { cpus: 2, memoryBytes }),
        securityContext: SEALED,
        terminationMessagePolicy: "FallbackToLogsOnError",
        volumeMounts: [
          ...(claim === null ? [] : [mount]),
          ...(secrets === undefined ? [] : [{ name: "secrets", mountPath: secrets.folder, readOnly: true }]),
          { name: "tmp", mountPath: "/tmp" },
        ],
      },
    ],
  };
}

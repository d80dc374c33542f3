import { randomUUID } from "node:crypto";
import { notFinished } from "#adapters/runtime-parts/finished-home.ts";
import { FILES_VARIABLE } from "#adapters/runtime-parts/start-extras.ts";
import { jobArguments, PROTOCOL_VARIABLE, PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { ApartLaunch, RunningJob, SetupLaunch, SetupLauncher } from "#jobs/job-launcher.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Cluster } from "./cluster.ts";
import { giveSecret } from "./given-secret.ts";
import type { KubernetesJobLauncher } from "./jobs.ts";
import type { Labels } from "./labels.ts";
import { type Amounts, MEBIBYTE, type Placement, podObject, resources, SEALED, volumeOf } from "./pod-parts.ts";
import type { Pods } from "./pods.ts";
import type { OwnerReference, Premises } from "./premises.ts";
import { encodeIdentity, type KubernetesVolumes } from "./volumes.ts";
import { asWritten, FILES, givenVolumes, HOME, identityCheck, unpackGiven } from "./workspace-pod.ts";

export interface KubernetesSetupOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly deploymentId: string;
  readonly pods: Pods;
  readonly premises: Pick<Premises, "require">;
  readonly volumes: Pick<KubernetesVolumes, "identity">;
  /** Our own image, with our own git: a workspace's may have none. */
  readonly jobImage: string;
  readonly placement: Placement;
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly longestSeconds: number;
  /** Follows the pod and ends it, as it does with its own. */
  readonly jobs: Pick<KubernetesJobLauncher, "begun" | "attend" | "away">;
}

/** Jobs that do a workspace's work while it rests: pods that the network policies take for the workspace. */
export class KubernetesSetupLauncher implements SetupLauncher {
  readonly #options: KubernetesSetupOptions;

  constructor(options: KubernetesSetupOptions) {
    this.#options = options;
  }

  async launch(spec: SetupLaunch): Promise<RunningJob> {
    const { premises, volumes, jobImage } = this.#options;
    const [owner, identity] = await Promise.all([premises.require(), volumes.identity(spec.volume)]);
    if (identity?.workspaceId !== spec.labels.workspaceId) throw notFinished(spec);
    return await this.#launch(spec, owner, {
      volume: volumeOf(spec.volume),
      part: { subPath: "home" },
      before: identityCheck({ jobImage, identity: encodeIdentity(identity) }, true),
      limits: this.#options.limits,
      longestSeconds: this.#options.longestSeconds,
    });
  }

  async launchApart(spec: ApartLaunch, signal: AbortSignal): Promise<RunningJob> {
    const { premises, jobImage, limits } = this.#options;
    const owner = await premises.require();
    signal.throwIfAborted();
    const home: JobHome = {
      volume: { name: "home", emptyDir: { medium: "Memory", sizeLimit: "16Mi" } },
      part: {},
      before: unpackGiven({ jobImage }),
      limits: { cpus: Math.min(limits.cpus, 1), memoryBytes: Math.min(limits.memoryBytes, 512 * MEBIBYTE) },
      // Beyond its own: for what the cluster does before it begins.
      longestSeconds: spec.request.limitSeconds + 120,
    };
    return await this.#launch(spec, owner, home, signal);
  }

  async #launch(
    spec: SetupLaunch | ApartLaunch,
    owner: OwnerReference,
    home: JobHome,
    signal?: AbortSignal,
  ): Promise<RunningJob> {
    const { cluster, namespace, deploymentId, placement, pods, jobs } = this.#options;
    const name = `ws-${spec.labels.workspaceId}-setup-${randomUUID().slice(0, 8)}`;
    const labels: Labels = { deploymentId, role: "workspace", ...spec.labels, setup: true };
    const body = podObject(name, labels, owner, placement, podSpec(spec, this.#options, home));
    const pod = await pods.create(body);
    if (pod === null) throw new OperationFailure("ActionFailed", `The pod ${name} is there already.`);
    const id = { name, uid: pod.metadata.uid };
    let takeBack: (() => Promise<void>) | undefined;
    try {
      takeBack = await giveSecret(cluster, namespace, { ...spec.labels, files: spec.files }, pod);
      await jobs.begun(id, signal);
      await takeBack();
    } catch (error) {
      // Whoever tries again must not find it at work.
      await jobs.away(id);
      // The cluster collects it with its pod, in its own time.
      await takeBack?.().catch(() => {});
      throw error;
    }
    return jobs.attend(id);
  }
}

/** What is mounted as the home, and the step that comes before the job. */
interface JobHome {
  readonly volume: object;
  readonly part: { readonly subPath?: string };
  readonly before: object;
  readonly limits: Amounts;
  readonly longestSeconds: number;
}

const NODE_OPTIONS = ["--max-old-space-size=96", "--max-semi-space-size=1", "--no-warnings"];
const PROGRAM = "/app/job-program/prepare/main.ts";

/** Asked for before it may begin: no more than it may have. */
const atMost = (requests: Amounts, limits: Amounts): Amounts => ({
  cpus: Math.min(requests.cpus, limits.cpus),
  memoryBytes: Math.min(requests.memoryBytes, limits.memoryBytes),
});

function podSpec(
  spec: SetupLaunch | ApartLaunch,
  { jobImage, requests }: Pick<KubernetesSetupOptions, "jobImage" | "requests">,
  { volume, part, before, limits, longestSeconds }: JobHome,
): object {
  const variables = {
    ...spec.env,
    HOME,
    USER: "coder",
    LOGNAME: "coder",
    [FILES_VARIABLE]: FILES,
    [PROTOCOL_VARIABLE]: String(PROTOCOL_VERSION),
  };
  return {
    hostname: "workspace",
    terminationGracePeriodSeconds: 1,
    activeDeadlineSeconds: longestSeconds,
    volumes: [volume, ...givenVolumes(spec.labels), { name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
    initContainers: [before],
    containers: [
      {
        name: "job",
        image: jobImage,
        imagePullPolicy: "IfNotPresent",
        workingDir: HOME,
        command: ["node", ...NODE_OPTIONS, PROGRAM, ...jobArguments(spec.request)].map(asWritten),
        env: Object.entries(variables).map(([name, value]) => ({ name, value: asWritten(value) })),
        resources: resources(atMost(requests, limits), limits),
        securityContext: SEALED,
        volumeMounts: [
          { name: "home", mountPath: HOME, ...part },
          { name: "memory", mountPath: FILES, subPath: "files" },
          { name: "tmp", mountPath: "/tmp" },
        ],
      },
    ],
  };
}

import { randomUUID } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import {
  ADDRESSES_VARIABLE,
  type JobReport,
  type JobRequest,
  jobArguments,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  RESULT_VARIABLE,
  VOLUME_VARIABLE,
} from "#job-program/protocol.ts";
import { isProgress } from "#job-program/report.ts";
import type { DirectJobs, JobExit, JobLaunch, JobLauncher, RunningJob } from "#jobs/job-launcher.ts";
import { OperationFailure } from "#ports/failure.ts";
import { means } from "./answers.ts";
import { type Cluster, pause } from "./cluster.ts";
import { memoryFor, partsFor, piecesOf } from "./job-amounts.ts";
import { type JobPods, SECRET_KEY, secretName } from "./job-pods.ts";
import { ATTEMPT, ROLE, SETUP, WORKSPACE } from "./labels.ts";
import type { Pod } from "./objects.ts";
import { UID } from "./pod-parts.ts";
import { claimOf, mainOf, startOf, stateOf } from "./pod-state.ts";
import type { PodId, Pods } from "./pods.ts";
import type { KubernetesVolumes } from "./volumes.ts";

export interface KubernetesJobsOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly pods: Pods;
  readonly jobs: JobPods;
  readonly volumes: Pick<KubernetesVolumes, "inspect" | "identity" | "mark" | "sizeOf">;
  readonly jobImage: string;
  /** How long a job may take at most: its addresses are good for that long, and then the cluster ends it. */
  readonly longestSeconds: number;
  /** Certificates of the store, in PEM. */
  readonly storeCa: string | null;
}

const FOLDER = "/addresses";
/** Everything the cluster does before a job begins. Then it is tried again later. */
const BEGIN_MS = 300_000;
const LOG_MS = 20_000;
const RETRY_MS = 1_000;

/**
 * Storage jobs as pods that send and read archives themselves. A pod has the addresses of its own attempt and nothing else:
 * no token, no key, no network but the store's. What it says is read from its log; what became of it, from its object.
 */
export class KubernetesJobLauncher implements JobLauncher {
  readonly takesFiles = false;
  readonly homeOwner = { uid: UID, gid: UID } as const;
  readonly direct: DirectJobs;
  readonly #options: KubernetesJobsOptions;
  readonly #pods: Pods;

  constructor(options: KubernetesJobsOptions) {
    this.#options = options;
    this.#pods = options.pods;
    this.direct = {
      partsFor: async (volume) => partsFor(volume === null ? 0 : await options.volumes.sizeOf(volume)),
      validSeconds: options.longestSeconds,
      ca: options.storeCa,
    };
  }

  async launch(spec: JobLaunch): Promise<RunningJob> {
    const request = spec.volume === null ? spec.request : await this.#requireVolume(spec.volume.name, spec.request);
    const pieces = piecesOf(Buffer.from(JSON.stringify(spec.addresses)));
    const pod = await this.#options.jobs.create({
      kind: spec.request.kind,
      token: randomUUID().slice(0, 8),
      ...spec.labels,
      // What its owner has locked is opened for the time of reading: that is writing to the volume.
      claim: spec.volume === null ? null : { ...spec.volume, access: "write" },
      secrets: { folder: FOLDER, count: pieces.length },
      memoryBytes: memoryFor(spec.addresses?.send?.partBytes ?? 0),
      longestSeconds: this.#options.longestSeconds,
      container: {
        args: jobArguments(request),
        env: Object.entries({
          [PROTOCOL_VARIABLE]: String(PROTOCOL_VERSION),
          [ADDRESSES_VARIABLE]: FOLDER,
          [RESULT_VARIABLE]: "/dev/termination-log",
          ...(spec.volume === null ? {} : { [VOLUME_VARIABLE]: "/volume" }),
        }).map(([name, value]) => ({ name, value })),
      },
    });
    const id = { name: pod.metadata.name, uid: pod.metadata.uid };
    try {
      await this.#handOver(pod, pieces);
      await this.begun(id);
    } catch (error) {
      // Whoever tries again must not find it at work: it is gone before this is told, however long the cluster takes.
      await this.away(id);
      throw error;
    }
    return spec.request.kind === "unpack" ? this.attend(id, (lines) => this.#marked(spec, lines)) : this.attend(id);
  }

  /** The cluster would let the pod wait for ever for a claim that is not there. */
  async #requireVolume(name: string, request: JobRequest): Promise<JobRequest> {
    const volume = await this.#options.volumes.inspect(name);
    if (volume === null) throw new OperationFailure("ActionFailed", `there is no volume ${name}`);
    if (request.kind !== "pack") return request;
    // Files that change while they are read make an archive of a state that never was.
    const workspaces = await this.#pods.list({ [ROLE]: "workspace", [WORKSPACE]: volume.workspaceId });
    const user = workspaces.find((pod) => claimOf(pod) === name);
    if (user !== undefined) {
      throw new OperationFailure("ActionFailed", `the volume ${name} is in use by ${user.metadata.name}: not archived`);
    }
    // The disk behind the claim may be another than it was, also an older one of the same workspace.
    const identity = await this.#options.volumes.identity(name);
    if (identity !== null) return { ...request, identity };
    throw new OperationFailure("ActionFailed", `the volume ${name} has no identity: it is not archived`);
  }

  /** They go with their pod. The pod is made first, to be their owner, and waits for them. */
  async #handOver({ metadata }: Pod, pieces: readonly Buffer[]): Promise<void> {
    const { name, uid, labels } = metadata;
    const owner = { apiVersion: "v1", kind: "Pod", name, uid, controller: false, blockOwnerDeletion: false };
    for (const [index, piece] of pieces.entries()) {
      const secret = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: secretName(name, index), labels, ownerReferences: [owner] },
        immutable: true,
        data: { [SECRET_KEY]: piece.toString("base64") },
      };
      await this.#options.cluster
        .create(`/api/v1/namespaces/${this.#options.namespace}/secrets`, secret, { repeatable: true })
        .catch((error: unknown) => {
          // Made by a question to which nobody heard the answer: its name is this pod's, and no other's.
          if (!means(error, "exists")) throw error;
        });
    }
  }

  async begun(id: PodId, signal?: AbortSignal): Promise<void> {
    const limit = AbortSignal.timeout(BEGIN_MS);
    try {
      await this.#pods.until(id, signal === undefined ? limit : AbortSignal.any([limit, signal]), (pod) => {
        const verdict = startOf(pod);
        if (verdict.kind === "failed") throw verdict.failure;
        return verdict.kind === "waiting" ? null : true;
      });
    } catch (error) {
      if (!limit.aborted) throw error;
      const event = await this.#pods.lastEvent(id).catch(() => null);
      throw new OperationFailure("Unreachable", `The pod ${id.name} did not begin in time: ${event?.message ?? ""}`);
    }
  }

  /** A pod that has begun, from now until it is gone. `finish`, if there is more to be done then, says how one ended that ended well. */
  attend(id: PodId, finish?: (lines: LastReport) => Promise<0 | null>): RunningJob {
    const stderr = new PassThrough();
    const lines = new LastReport();
    const over = new AbortController();
    const told = this.#readLog(id, stderr, lines, over.signal);
    const ended = this.#end(id, { stderr, lines, told, over });
    return {
      image: this.#options.jobImage,
      stderr,
      bytes: async () => ({ input: null, output: Readable.from([]) }),
      ...(finish === undefined ? { ended } : {}),
      exited: this.#gone(id, ended, async () => (finish === undefined ? 0 : await finish(lines))),
      kill: () => {
        // Whether it worked is told by `exited`.
        void this.#insist(() => this.#pods.remove(id, 1));
      },
      release: () => {},
    };
  }

  async #readLog(id: PodId, stderr: PassThrough, lines: LastReport, signal: AbortSignal): Promise<void> {
    try {
      const query = { container: "job", follow: "true" };
      const log = await this.#options.cluster.stream(`${this.#pods.path}/${id.name}/log`, query, signal);
      for await (const chunk of log as AsyncIterable<Buffer>) {
        lines.take(chunk);
        stderr.write(chunk);
      }
    } catch {
      // It may be lost: what the pod left as its last words is told in its place.
    }
  }

  /** Resolves when its program has ended, which was the last of it: a cluster that is away is asked again until it answers. */
  async #end(
    id: PodId,
    parts: { stderr: PassThrough; lines: LastReport; told: Promise<void>; over: AbortController },
  ): Promise<JobExit> {
    const { stderr, lines, told, over } = parts;
    const ended = await this.#insist(() => this.#ended(id));
    await Promise.race([told, pause(LOG_MS, over.signal)]);
    over.abort();
    const { message = "" } = ended ?? {};
    if (!lines.isComplete() && message !== "") {
      lines.take(Buffer.from(`\n${message}\n`));
      stderr.write(`\n${message}\n`);
    }
    stderr.end();
    return { code: ended?.exitCode ?? null };
  }

  /** Resolves when the pod is positively gone. */
  async #gone(id: PodId, ended: Promise<JobExit>, finish: () => Promise<0 | null>): Promise<JobExit> {
    const { code } = await ended;
    await this.#insist(() => this.#pods.remove(id, 1));
    return { code: code === 0 ? await finish() : code };
  }

  /** Null when the pod went away as a whole. */
  async #ended(id: PodId): Promise<{ exitCode: number; message?: string } | null> {
    for (;;) {
      const pod = await this.#pods.find(id);
      if (pod === null) return null;
      if (stateOf(pod).state === "exited") return mainOf(pod)?.state?.terminated ?? null;
      const follower = this.#pods.watch.follow(id.name);
      await follower.next(RETRY_MS, new AbortController().signal);
      follower.close();
    }
  }

  /** A home that was restored says of itself what it is. One that could not be marked is found whole by the next try. */
  async #marked({ request, volume }: JobLaunch, lines: LastReport): Promise<0 | null> {
    if (request.kind !== "unpack" || volume === null) return 0;
    const report = lines.last();
    if (report === null || !("unpacked" in report)) return 0;
    return await this.#options.volumes.mark(volume.name, report.unpacked.identity).then(
      () => 0,
      () => null,
    );
  }

  async away(id: PodId): Promise<void> {
    await this.#insist(() => this.#pods.remove(id, 1));
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await pause(RETRY_MS, new AbortController().signal);
      }
    }
  }

  async find(workspaceId: string): Promise<string[]> {
    const jobs = await this.#list(workspaceId);
    const maybeRunning = jobs.filter((pod) => stateOf(pod).state !== "exited");
    return [...new Set(maybeRunning.map(({ metadata }) => metadata.labels?.[ATTEMPT] ?? ""))];
  }

  async end(workspaceId: string): Promise<void> {
    // Until a look finds none: a job that was being created during the first look is found by the next one.
    for (let jobs = await this.#list(workspaceId); jobs.length > 0; jobs = await this.#list(workspaceId)) {
      await Promise.all(jobs.map(({ metadata }) => this.#pods.remove(metadata, 1)));
    }
  }

  async #list(workspaceId: string): Promise<Pod[]> {
    const kinds = [{ [ROLE]: "job" }, { [ROLE]: "workspace", [SETUP]: "true" }];
    const found = await Promise.all(kinds.map((kind) => this.#pods.list({ ...kind, [WORKSPACE]: workspaceId })));
    return found.flat();
  }
}

/** The last report that came by, and whether it is the closing one. */
class LastReport {
  #rest = "";
  #last: JobReport | null = null;

  take(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString("utf8")).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      try {
        this.#last = JSON.parse(line) as JobReport;
      } catch {
        // Words of somebody else.
      }
    }
  }

  last(): JobReport | null {
    return this.#last;
  }

  isComplete(): boolean {
    const last = this.#last;
    return last !== null && typeof last === "object" && !("greeting" in last) && !isProgress(last);
  }
}

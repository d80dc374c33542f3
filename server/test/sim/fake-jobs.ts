import type { ArchiveFacts } from "#core/rows/workspace.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { JobOptions, Prepared, SetupJobs, StorageJobs } from "#ports/jobs.ts";
import {
  archiveSteps,
  emptySteps,
  HONEST,
  type JobSteps,
  type JobTricks,
  type JobValue,
  prepareSteps,
  restoreSteps,
  verifySteps,
} from "./job-steps.ts";
import type { Kubernetes, SimNode } from "./kubernetes.ts";
import type { SimProcess } from "./process.ts";
import type { World } from "./world.ts";

const LOOK_MS = 5_000;
const GOING_MS = 61_000;

/** A job that runs beside the coordinators, found by its labels, until it ends or somebody ends it. */
export interface Job {
  readonly id: number;
  readonly kind: "archive" | "empty" | "restore" | "verify" | "prepare";
  readonly workspaceId: string;
  readonly attempt: string;
  /** Of the volume it reads or writes, if any. */
  readonly volume: string | null;
  readonly launcher: SimProcess;
  /** In a cluster: where its pod is. */
  readonly node: SimNode | null;
  readonly steps: JobSteps;
  running: boolean;
  /** It has looked and found that it may, and works on its volume now. */
  begun: boolean;
  /** A write that has left the job and is not there yet: it may land although the job is dead. */
  lastWrite: (() => void) | null;
  /** The launcher's side of the answer; a repeated launch has nobody waiting. */
  settle: ((outcome: Outcome) => void) | null;
  progress: JobOptions["onProgress"] | null;
}

type Outcome = { readonly value: JobValue } | { readonly error: Error };

/** Where jobs run. They outlive whoever launched them. */
export class JobHost {
  readonly world: World;
  readonly jobs: Map<number, Job> = new Map();
  tricks: JobTricks = HONEST;
  onEnded: (workspaceId: string) => void = () => undefined;

  constructor(world: World) {
    this.world = world;
    world.isBeingPrepared = (id) =>
      this.tricks.alone && [...this.jobs.values()].some((job) => job.kind === "prepare" && job.workspaceId === id);
  }

  /** Work on a home at rest; its jobs are found and ended like all others. */
  setupOf(process: SimProcess): SetupJobs {
    return {
      prepare: (spec, { onProgress, signal }) => {
        const told = (): void => onProgress({ step: "cloning", percent: null, doneBytes: 1, bytesPerSecond: null });
        const options = { onProgress: told, signal };
        return this.#run(process, { ...spec, kind: "prepare" }, options, (job) =>
          prepareSteps(this.world, job, spec),
        ) as Promise<Prepared>;
      },
      // Of no workspace, and not among what is simulated: nobody asks for it.
      check: () => Promise.reject(new OperationFailure("ActionFailed", "No host is simulated.")),
    };
  }

  of(process: SimProcess): StorageJobs {
    const { world } = this;
    const run = <T extends ArchiveFacts | undefined>(
      spec: { workspaceId: string; attempt: string; volume?: string; kind: Job["kind"] },
      options: JobOptions,
      steps: (job: Job) => JobSteps,
    ): Promise<T> => this.#run(process, spec, options, steps) as Promise<T>;
    const call = <T>(name: string, about: string, reads: boolean, effect: () => T): Promise<T> =>
      world.sim.call({
        process,
        port: "jobs",
        name,
        about: about.slice(0, 4),
        reads,
        effect,
        timeoutMs: 60_000,
        fault,
      });
    return {
      archive: (spec, options) =>
        run<ArchiveFacts>({ ...spec, kind: "archive" }, options, (job) => archiveSteps(world, job, spec, this.tricks)),
      archiveEmpty: (spec, options) =>
        run<ArchiveFacts>({ ...spec, kind: "empty" }, options, (job) => emptySteps(world, job, spec, this.tricks)),
      restore: (spec, options) =>
        run<undefined>({ ...spec, kind: "restore" }, options, () => restoreSteps(world, spec, this.tricks)).then(
          () => ({ given: 0 }),
        ),
      verify: (spec, options) => {
        const [workspaceId = "", attempt = ""] = spec.key.split("/");
        return run<undefined>({ workspaceId, attempt, kind: "verify" }, options, () => verifySteps(world, spec));
      },
      find: (id) =>
        call("find", id, true, () =>
          [...this.jobs.values()].filter((job) => job.workspaceId === id && job.running).map((job) => job.attempt),
        ),
      end: async (id) => {
        await call("end", id, false, () => {
          for (const job of this.jobs.values()) if (job.workspaceId === id) this.kill(job, "ended by label");
        });
        const lingers = [...this.jobs.values()].some((job) => job.kind === "prepare" && job.workspaceId === id);
        if (world.kubernetes !== null || lingers)
          await this.#untilGone(process, () => call("left", id, true, () => this.#of(id)));
      },
    };
  }

  /** Cluster: asked to go is not gone, and on a node that does not answer it works on. */
  async #untilGone({ clock }: SimProcess, look: () => Promise<number>): Promise<void> {
    const limit = clock.monotonicMs() + GOING_MS;
    while (this.tricks.endsJobs && (await look()) > 0) {
      if (clock.monotonicMs() >= limit) {
        this.world.sim.sometimes("cluster: a job was still there when its end was given up");
        throw new OperationFailure("Unreachable", "A job's pod is still being removed, and may still write.");
      }
      await clock.sleep(LOOK_MS);
    }
  }

  #of(workspaceId: string): number {
    return [...this.jobs.values()].filter((job) => job.workspaceId === workspaceId).length;
  }

  /** A pod of the cluster has its claim until it is gone. */
  joins(kubernetes: Kubernetes): void {
    kubernetes.isHeldByJob = (volume) => [...this.jobs.values()].some((job) => job.volume === volume);
  }

  /** The launcher was killed. A job on its streams dies with it; one that runs by itself goes on. */
  orphan(process: SimProcess): void {
    const { sim } = this.world;
    for (const job of this.jobs.values()) {
      if (job.launcher !== process || !job.running) continue;
      job.settle = null;
      if (job.node === null && sim.random.chance(0.5)) {
        sim.inject("job_dies_with_launcher", () => `${job.kind} ${job.workspaceId.slice(0, 4)}`);
        this.kill(job, "its launcher died");
      } else {
        sim.inject("job_outlives_launcher", () => `${job.kind} ${job.workspaceId.slice(0, 4)}`);
      }
    }
  }

  kill(job: Job, why: string): void {
    if (!job.running || !this.tricks.endsJobs) return;
    const { kubernetes, sim } = this.world;
    if (job.node === null || kubernetes === null) {
      // What writes to a home goes on writing until it is gone, and then nothing of it is on its way any more.
      if (job.kind !== "prepare") this.#killed(job, why);
      else sim.scheduler.after(sim.random.between(1, 3_000), () => this.#killed(job, why));
      return;
    }
    kubernetes.whenBack(job.node, () => {
      sim.scheduler.after(kubernetes.random.between(100, 5_000), () => {
        if (job.running) this.#killed(job, why);
      });
    });
  }

  #killed(job: Job, why: string): void {
    const { sim } = this.world;
    const { lastWrite } = job;
    if (lastWrite !== null && sim.profile.nemesis > 0 && sim.random.chance(0.4)) {
      sim.scheduler.after(sim.random.between(10, 300_000), () => {
        sim.inject("job_killed_last_write_lands", () => `${job.kind} ${job.workspaceId.slice(0, 4)}`);
        lastWrite();
      });
    }
    this.#finish(job, { error: new OperationFailure("ActionFailed", `The job was ended: ${why}.`) });
  }

  #run(
    process: SimProcess,
    spec: { workspaceId: string; attempt: string; volume?: string; kind: Job["kind"] },
    options: JobOptions,
    steps: (job: Job) => JobSteps,
  ): Promise<JobValue> {
    const { sim } = this.world;
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        process.deliver(() => ("error" in outcome ? reject(outcome.error) : resolve(outcome.value)));
      };
      const launch = (listens: boolean): Job => this.#launch(process, spec, steps, listens ? settle : null, options);
      const launched = sim.call({
        process,
        port: "jobs",
        name: spec.kind,
        about: `${spec.workspaceId.slice(0, 4)} attempt ${spec.attempt.slice(0, 8)}`,
        reads: false,
        effect: () => launch(true),
        again: () => void launch(false),
        fault,
      });
      launched.then((job) => this.#abortable(job, options.signal), reject);
    });
  }

  #abortable(job: Job, signal: AbortSignal): void {
    const { sim } = this.world;
    const end = (): void => {
      sim.scheduler.after(sim.random.between(1, 3_000), () => this.kill(job, "aborted"));
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  }

  #launch(
    launcher: SimProcess,
    spec: { workspaceId: string; attempt: string; volume?: string; kind: Job["kind"] },
    steps: (job: Job) => JobSteps,
    settle: Job["settle"],
    options: JobOptions,
  ): Job {
    this.world.kubernetes?.requireQuota();
    if (spec.kind === "prepare") this.#requirePlace(spec);
    const job: Job = {
      id: this.world.serial(),
      kind: spec.kind,
      workspaceId: spec.workspaceId,
      attempt: spec.attempt,
      volume: spec.volume ?? null,
      launcher,
      node: this.world.kubernetes?.pickNode() ?? null,
      steps: undefined as unknown as JobSteps,
      running: true,
      begun: false,
      lastWrite: null,
      settle,
      progress: settle === null ? null : options.onProgress,
    };
    Object.assign(job, { steps: steps(job) });
    this.jobs.set(job.id, job);
    this.#advance(job);
    return job;
  }

  /** As the engine does it: the name of the workspace's container is taken, or somebody else has the volume. */
  #requirePlace({ workspaceId, volume = "" }: { workspaceId: string; volume?: string }): void {
    const { engine, sim } = this.world;
    if (!this.tricks.alone) return;
    const isUsed = [...this.jobs.values()].some((job) => job.volume === volume);
    if (!isUsed && engine.containersOf(workspaceId).length === 0 && engine.referencing(volume).length === 0) return;
    sim.sometimes("job: a home that somebody has was not prepared");
    throw new OperationFailure("ActionFailed", `The place of ${workspaceId} is taken.`);
  }

  #advance(job: Job): void {
    const { sim, kubernetes } = this.world;
    if (!job.running) return;
    if (job.node?.state === "off") {
      const error = new OperationFailure("ActionFailed", "The job ended with its node.");
      kubernetes?.whenBack(job.node, () => this.#finish(job, { error }));
      return;
    }
    if (job.volume !== null && (kubernetes?.claims.get(job.volume)?.blockedUntil ?? 0) > sim.scheduler.now) {
      sim.scheduler.after(60_000, () => this.#advance(job));
      return;
    }
    const { job: chances } = sim.profile;
    try {
      const next = job.steps.next();
      if (next.done === true) {
        this.#finish(job, { value: next.value });
        return;
      }
      if (sim.random.chance(chances.fails)) {
        sim.inject("job_fails", () => `${job.kind} ${job.workspaceId.slice(0, 4)}`);
        throw new OperationFailure("ActionFailed", "The job's own failure.");
      }
      if (sim.down.has("archives") && job.kind !== "prepare")
        throw new OperationFailure("Unreachable", "The object store does not answer.");
      if (job.settle !== null && sim.random.chance(chances.answerLost)) {
        sim.inject("job_answer_lost", () => `${job.kind} ${job.workspaceId.slice(0, 4)}`);
        job.settle({ error: new OperationFailure("Unreachable", "The connection to the job was lost.") });
        job.settle = null;
      }
      if (sim.random.chance(chances.stalls)) {
        sim.inject("job_stalls", () => `${job.kind} ${job.workspaceId.slice(0, 4)}`);
        return;
      }
      this.#tell(job);
      sim.scheduler.after(next.value, () => this.#advance(job));
    } catch (error) {
      this.#finish(job, { error: error as Error });
    }
  }

  #tell(job: Job): void {
    const { progress } = job;
    if (progress === null || job.settle === null || (job.node !== null && job.node.state !== "up")) return;
    job.launcher.deliver(() =>
      progress({ step: job.kind, doneBytes: 1, totalBytes: null, doneFiles: 1, bytesPerSecond: null }),
    );
  }

  #finish(job: Job, outcome: Outcome): void {
    const { sim, kubernetes } = this.world;
    if (!job.running) return;
    if (job.node !== null && job.node.state !== "up" && kubernetes !== null) {
      // It has ended, and nobody hears of it.
      kubernetes.whenBack(job.node, () => this.#finish(job, outcome));
      return;
    }
    job.running = false;
    this.jobs.delete(job.id);
    sim.trace(
      () =>
        `job ${job.kind} ${job.workspaceId.slice(0, 4)} attempt ${job.attempt.slice(0, 8)} ended: ${"error" in outcome ? outcome.error.message : "whole"}`,
    );
    job.settle?.(outcome);
    this.onEnded(job.workspaceId);
  }
}

const fault = (why: string): Error => new OperationFailure("Unreachable", `Jobs: ${why}.`);

import {
  type Greeting,
  type JobRequest,
  jobArguments,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  VOLUME_VARIABLE,
} from "#job-program/protocol.ts";
import type { JobBytes, JobChannel } from "#jobs/job-channel.ts";
import type { JobLaunch, JobLauncher, RunningJob } from "#jobs/job-launcher.ts";
import { OperationFailure } from "#ports/failure.ts";
import { type ListedContainer, removeContainer } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { JobContainers } from "./job-containers.ts";
import type { JobSockets } from "./job-sockets.ts";
import { ATTEMPT, DEPLOYMENT, labelFilter, ROLE, WORKSPACE } from "./labels.ts";
import { WORKSPACE_UID } from "./workspace-container.ts";

export interface DockerJobsOptions {
  readonly engine: Engine;
  readonly deploymentId: string;
  /** Our own image: never one that a user chose. */
  readonly jobImage: string;
  /** Null: the engine's streams only. */
  readonly sockets: Pick<JobSockets, "open" | "giveUp"> | null;
}

const VOLUME_PATH = "/volume";

/**
 * Storage jobs as containers: no network, nothing but the one volume, the standard streams attached and, where the engine
 * is on this machine, a socket of ours. The stream is the archive, so nothing of it is logged.
 */
export class DockerJobLauncher implements JobLauncher {
  readonly takesFiles = false;
  readonly homeOwner = { uid: WORKSPACE_UID, gid: WORKSPACE_UID } as const;
  readonly #options: DockerJobsOptions;
  readonly #engine: Engine;
  readonly #containers: JobContainers;

  constructor(options: DockerJobsOptions) {
    this.#options = options;
    this.#engine = options.engine;
    this.#containers = new JobContainers(options.engine);
  }

  async launch(spec: JobLaunch): Promise<RunningJob> {
    if (spec.volume !== null) await this.#requireVolume(spec.volume.name);
    if (spec.request.kind === "pack" && spec.volume !== null) await this.#requireUnused(spec.volume.name);
    const channel = hasBytes(spec.request) ? ((await this.#options.sockets?.open()) ?? null) : null;
    if (channel === null) return await this.#start(spec, null);
    try {
      return await this.#start(spec, channel);
    } catch (error) {
      await channel.close();
      if (!(error instanceof EngineError)) throw error;
      // An engine that does not have our files refuses to mount them. If that was not why, it refuses this one too.
      const job = await this.#start(spec, null);
      this.#options.sockets?.giveUp(error.message);
      return job;
    }
  }

  async #start(spec: JobLaunch, channel: JobChannel | null): Promise<RunningJob> {
    const { streams, ...job } = await this.#containers.start(jobContainer(spec, this.#options, channel));
    return {
      ...job,
      bytes: (greeting) => this.#take(greeting, channel, streams),
      release: () => {
        // Nothing depends on it: what stays is taken away by the next server.
        channel?.close().catch(() => {});
      },
    };
  }

  async #take(greeting: Greeting, channel: JobChannel | null, streams: JobBytes): Promise<JobBytes> {
    if (greeting.bytes === "streams" || channel === null) {
      if (channel !== null) this.#options.sockets?.giveUp(greeting.because ?? "the job did not say why");
      await channel?.close();
      return streams;
    }
    return await channel.take();
  }

  /** The engine would make a missing volume up, and an empty home would be archived over a good one. */
  async #requireVolume(name: string): Promise<void> {
    const volume = await this.#engine.call<{ Labels: Record<string, string> | null }>("GET", `/volumes/${name}`);
    if (volume?.Labels?.[DEPLOYMENT] !== this.#options.deploymentId) {
      throw new OperationFailure("ActionFailed", `there is no volume ${name}`);
    }
  }

  /** Files that change while they are read make an archive of a state that never was. */
  async #requireUnused(name: string): Promise<void> {
    const query = { all: "true", filters: JSON.stringify({ volume: [name] }) };
    const users = await this.#engine.need<ListedContainer[]>("GET", "/containers/json", { query });
    const workspaces = users.filter((user) => user.Labels[ROLE] !== "job");
    if (workspaces.length > 0) {
      throw new OperationFailure("ActionFailed", `the volume ${name} is in use by ${workspaces[0]?.Id}: not archived`);
    }
  }

  async find(workspaceId: string): Promise<string[]> {
    const jobs = await this.#list(workspaceId);
    const maybeRunning = jobs.filter((job) => job.State !== "exited" && job.State !== "dead");
    return [...new Set(maybeRunning.map((job) => job.Labels[ATTEMPT] ?? ""))];
  }

  async end(workspaceId: string): Promise<void> {
    // Until a look finds none: a job that was being created during the first look is found by the next one.
    for (let jobs = await this.#list(workspaceId); jobs.length > 0; jobs = await this.#list(workspaceId)) {
      for (const job of jobs) {
        this.#containers.discard(job.Id);
        await removeContainer(this.#engine, job.Id);
      }
    }
  }

  async #list(workspaceId: string): Promise<ListedContainer[]> {
    const labels = { [DEPLOYMENT]: this.#options.deploymentId, [ROLE]: "job", [WORKSPACE]: workspaceId };
    return await this.#engine.need("GET", "/containers/json", { query: { all: "true", filters: labelFilter(labels) } });
  }
}

export function jobContainer(
  spec: JobLaunch,
  options: Pick<DockerJobsOptions, "deploymentId" | "jobImage">,
  channel: JobChannel | null,
): { readonly Image: string; readonly [more: string]: unknown } {
  const { volume } = spec;
  const variables = {
    [PROTOCOL_VARIABLE]: PROTOCOL_VERSION,
    ...(volume === null ? {} : { [VOLUME_VARIABLE]: VOLUME_PATH }),
    ...(channel === null ? {} : { [channel.variable.name]: channel.variable.value }),
  };
  return {
    Image: options.jobImage,
    Cmd: jobArguments(spec.request),
    ...NO_NETWORK,
    User: "0:0",
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    WorkingDir: "/",
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    Labels: {
      [DEPLOYMENT]: options.deploymentId,
      [ROLE]: "job",
      [WORKSPACE]: spec.labels.workspaceId,
      [ATTEMPT]: spec.labels.attempt,
    },
    HostConfig: {
      ...JOB_CONFINEMENT,
      // A job whose server was killed goes by itself when it ends, and lets go of the volume.
      AutoRemove: true,
      Mounts: [...(volume === null ? [] : [volumeMount(volume)]), ...(channel === null ? [] : [socketMount(channel)])],
    },
  };
}

function volumeMount({ name, access }: NonNullable<JobLaunch["volume"]>): object {
  const options = { ReadOnly: access === "read", VolumeOptions: { NoCopy: true } };
  return { Type: "volume", Source: name, Target: VOLUME_PATH, ...options };
}

/** Read-only, which keeps nobody from connecting. As a mount and not as a bind: a folder that is not there is never made. */
function socketMount({ mount }: JobChannel): object {
  return { Type: "bind", Source: mount.source, Target: mount.target, ReadOnly: true };
}

/** The others answer in their reports. */
function hasBytes({ kind }: JobRequest): boolean {
  return kind !== "seal" && kind !== "identity";
}

/**
 * A network of its own with nothing in it but its loopback. Asked for the network "none", the engine starts itself once more
 * to arrange that, which takes as long as everything else about a job's container; so it is told to arrange none.
 */
export const NO_NETWORK = { NetworkDisabled: true } as const;

/** It reads and writes files of any owner, with the bits that hand down a group, and can do nothing else. */
export const JOB_CONFINEMENT = {
  Init: true,
  NetworkMode: "none",
  CapDrop: ["ALL"],
  CapAdd: ["CHOWN", "FOWNER", "FSETID", "DAC_OVERRIDE"],
  SecurityOpt: ["no-new-privileges"],
  ReadonlyRootfs: true,
  Tmpfs: { "/tmp": "size=16m" },
  LogConfig: { Type: "none", Config: {} },
  PidsLimit: 128,
  Memory: 1024 * 1024 * 1024,
  RestartPolicy: { Name: "no" },
} as const;

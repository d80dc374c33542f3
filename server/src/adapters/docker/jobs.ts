import { type Duplex, Writable } from "node:stream";
import {
  type Greeting,
  type JobRequest,
  jobArguments,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  VOLUME_VARIABLE,
} from "#job-program/protocol.ts";
import type { JobBytes, JobChannel } from "#jobs/job-channel.ts";
import type { JobExit, JobLaunch, JobLauncher, RunningJob } from "#jobs/job-launcher.ts";
import { OperationFailure } from "#ports/failure.ts";
import { createContainer, inspectContainer, type ListedContainer, removeContainer } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { splitFrames } from "./frames.ts";
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
const RETRY_MS = 500;

/**
 * Storage jobs as containers: no network, nothing but the one volume, the standard streams attached and, where the engine
 * is on this machine, a socket of ours. The stream is the archive, so nothing of it is logged.
 */
export class DockerJobLauncher implements JobLauncher {
  readonly takesFiles = false;
  readonly homeOwner = { uid: WORKSPACE_UID, gid: WORKSPACE_UID } as const;
  readonly #options: DockerJobsOptions;
  readonly #engine: Engine;
  /** How to stop holding up the output of jobs that this process reads from, by container. */
  readonly #discards = new Map<string, () => void>();

  constructor(options: DockerJobsOptions) {
    this.#options = options;
    this.#engine = options.engine;
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
    const body = jobContainer(spec, this.#options, channel);
    const id = await createContainer(this.#engine, body, { use: "job" });
    let socket: Duplex | null = null;
    try {
      const query = { stream: "1", stdin: "1", stdout: "1", stderr: "1" };
      socket = await this.#engine.hijack(`/containers/${id}/attach`, query);
      // Asked before the start: a job that ends at once must not be missed. Its container goes by itself when it ends.
      const ended = this.#engine.stream("POST", `/containers/${id}/wait`, { query: { condition: "removed" } });
      ended.catch(() => {});
      await this.#engine.need("POST", `/containers/${id}/start`, { timeoutMs: 60_000 });
      return this.#running(id, socket, ended, channel);
    } catch (error) {
      socket?.destroy();
      await removeContainer(this.#engine, id);
      throw error;
    }
  }

  #running(id: string, socket: Duplex, ended: ReturnType<Engine["stream"]>, channel: JobChannel | null): RunningJob {
    const { stdout, stderr, discard } = splitFrames(socket);
    this.#discards.set(id, discard);
    const exited = this.#end(id, ended).then((exit) => {
      this.#discards.delete(id);
      // Both streams come through one connection: output of a failed job that nobody reads must not hold up its report.
      if (exit.code !== 0) discard();
      return exit;
    });
    const streams: JobBytes = { input: inputOf(socket), output: stdout };
    return {
      image: this.#options.jobImage,
      stderr,
      bytes: (greeting) => this.#take(greeting, channel, streams),
      exited,
      kill: () => {
        discard();
        // Whether it worked is told by `exited`, which insists.
        removeContainer(this.#engine, id).catch(() => {});
      },
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

  /** Resolves when the container is positively gone; an engine that is away is asked again until it answers. */
  async #end(id: string, ended: ReturnType<Engine["stream"]>): Promise<JobExit> {
    let code = await exitCodeFrom(ended);
    for (;;) {
      try {
        const container = await inspectContainer(this.#engine, id);
        if (container === null) return { code };
        if (container.State.Running) {
          const again = this.#engine.stream("POST", `/containers/${id}/wait`);
          code = await exitCodeFrom(again);
        } else {
          code ??= container.State.Status === "exited" ? container.State.ExitCode : null;
          await removeContainer(this.#engine, id);
          return { code };
        }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
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
        this.#discards.get(job.Id)?.();
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

async function exitCodeFrom(waiting: ReturnType<Engine["stream"]>): Promise<number | null> {
  try {
    let text = "";
    for await (const chunk of await waiting) text += chunk;
    return (JSON.parse(text) as { StatusCode: number }).StatusCode;
  } catch {
    return null;
  }
}

/** Only the writing half: whoever gives up on it must not cut off what the job still says. */
function inputOf(socket: Duplex): Writable {
  socket.on("error", () => {});
  const told =
    (done: (error?: Error | null) => void) =>
    (error?: Error | null): void =>
      done(error ? brokenPipe(error) : null);
  return new Writable({
    highWaterMark: 256 * 1024,
    write: (chunk: Buffer, _encoding, done) => {
      socket.write(chunk, told(done));
    },
    final: (done) => {
      socket.end(told(done));
    },
  });
}

/** However the connection went away, it means what a pipe's end means: the job reads no more, and its outcome says why. */
function brokenPipe(cause: Error): Error {
  return Object.assign(new Error("the storage job stopped reading", { cause }), { code: "EPIPE" });
}

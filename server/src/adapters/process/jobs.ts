import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { jobArguments, PROTOCOL_VARIABLE, PROTOCOL_VERSION, VOLUME_VARIABLE } from "#job-program/protocol.ts";
import { readIdentity } from "#job-program/storage/identity.ts";
import type { JobExit, JobLaunch, JobLauncher, RunningJob } from "#jobs/job-launcher.ts";
import type { Clock } from "#ports/clock.ts";
import { OperationFailure } from "#ports/failure.ts";
import { endProcesses, findProcesses } from "./labels.ts";

const PROGRAM = fileURLToPath(new URL("../../job-program/storage/main.ts", import.meta.url));

const DEPLOYMENT = "CODEHUB_JOB_DEPLOYMENT";
const WORKSPACE = "CODEHUB_JOB_WORKSPACE";
const ATTEMPT = "CODEHUB_JOB_ATTEMPT";
const JOB = "CODEHUB_JOB_ID";

/** A killed process goes within moments unless the disk under it hangs; then nobody may believe that it is gone. */
const END_DEADLINE_MS = 30_000;

export interface ProcessJobsOptions {
  readonly deploymentId: string;
  /** Where a volume of this name lies. */
  readonly volumes: { readonly path: (name: string) => string };
  /** Where Node keeps the job program compiled: each job then starts in a third of the time, with 25 MB less. */
  readonly cacheDirectory: string;
  readonly clock: Clock;
  /** Jobs of workspaces' own accounts, which are found and ended with these. */
  readonly setup?: Pick<JobLauncher, "find" | "end">;
}

/**
 * Storage jobs as child processes, each with its own process group and with labels in its environment, which tar and
 * zstd inherit. A job goes on when the server is killed, and the next server finds it by these labels.
 */
export class ProcessJobLauncher implements JobLauncher {
  readonly takesFiles = true;
  readonly #options: ProcessJobsOptions;

  constructor(options: ProcessJobsOptions) {
    this.#options = options;
  }

  async launch(spec: JobLaunch): Promise<RunningJob> {
    const id = randomUUID();
    if (spec.volume?.access === "write") await closeUnfinished(this.#options.volumes.path(spec.volume.name));
    const child = spawn(process.execPath, [...NODE_OPTIONS, PROGRAM, ...jobArguments(spec.request)], {
      detached: true,
      stdio: [spec.input?.fd ?? "pipe", "pipe", "pipe"],
      cwd: "/",
      // Nothing else of the server's environment: it holds secrets, and the job needs none.
      env: {
        PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
        NODE_COMPILE_CACHE: this.#options.cacheDirectory,
        [DEPLOYMENT]: this.#options.deploymentId,
        [WORKSPACE]: spec.labels.workspaceId,
        [ATTEMPT]: spec.labels.attempt,
        [JOB]: id,
        [PROTOCOL_VARIABLE]: String(PROTOCOL_VERSION),
        ...(spec.volume === null ? {} : { [VOLUME_VARIABLE]: this.#options.volumes.path(spec.volume.name) }),
      },
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
    const exited = once(child, "exit").then(async ([code]): Promise<JobExit> => {
      await this.#endAll({ [JOB]: id });
      return { code: typeof code === "number" ? code : null };
    });
    exited.catch(() => {});
    await once(child, "spawn").catch((error: Error) => {
      throw new OperationFailure("ActionFailed", `the storage job could not be started: ${error.message}`);
    });
    const kill = () => {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) killGroup(child.pid);
    };
    const { stdin: input, stdout: output, stderr } = child;
    let asked = false;
    const bytes = async () => {
      asked = true;
      return { input, output };
    };
    const release = () => {
      if (asked) return;
      input?.destroy();
      output.destroy();
    };
    return { image: null, stderr, bytes, exited, kill, release };
  }

  async find(workspaceId: string): Promise<string[]> {
    const found = await findProcesses(this.#labels(workspaceId));
    const others = (await this.#options.setup?.find(workspaceId)) ?? [];
    return [...new Set([...found.map(({ environment }) => environment.get(ATTEMPT) ?? ""), ...others])];
  }

  async end(workspaceId: string): Promise<void> {
    await this.#options.setup?.end(workspaceId);
    if (!(await this.#endAll(this.#labels(workspaceId)))) {
      throw new OperationFailure("ActionFailed", "a storage job was killed but has not gone: its disk may hang");
    }
  }

  #labels(workspaceId: string): Record<string, string> {
    return { [WORKSPACE]: workspaceId, [DEPLOYMENT]: this.#options.deploymentId };
  }

  #endAll(labels: Record<string, string>): Promise<boolean> {
    return endProcesses(labels, END_DEADLINE_MS, (ms) => this.#options.clock.sleep(ms));
  }
}

/**
 * The job writes with root's rights, so nobody else may be inside meanwhile. New volumes are closed until their workspace
 * starts; one that an earlier version made was not. A volume with an identity is whole: nothing is written into it.
 */
async function closeUnfinished(volume: string): Promise<void> {
  if ((await readIdentity(volume)) !== null) return;
  await chmod(volume, 0o700).catch((error: NodeJS.ErrnoException) => {
    // A volume that is not there is told by the job.
    if (error.code !== "ENOENT") throw error;
  });
}

/** Small heaps: a job holds no more than a few chunks of the stream, and rubbish must not pile up to gigabytes. */
const NODE_OPTIONS = ["--max-old-space-size=96", "--max-semi-space-size=1", "--no-warnings"];

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

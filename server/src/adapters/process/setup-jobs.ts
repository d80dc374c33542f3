import type { ChildProcess, ChildProcessByStdio } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { filesTar } from "#adapters/runtime-parts/files-tar.ts";
import { requireFinishedHome } from "#adapters/runtime-parts/finished-home.ts";
import { SETUP_STEPS } from "#adapters/runtime-parts/setup-step.ts";
import { FILES_VARIABLE } from "#adapters/runtime-parts/start-extras.ts";
import { jobArguments, PROTOCOL_VARIABLE, PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { ApartLaunch, JobExit, RunningJob, SetupLaunch, SetupLauncher } from "#jobs/job-launcher.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Volumes } from "#ports/volumes.ts";
import { reachableNode } from "./ide-install.ts";
import { endJob, type JobRecord, processesOfJob, readJobs, writeJob } from "./job-record.ts";
import { ours, type Place } from "./place.ts";
import { markOf } from "./proc.ts";
import { copyProgram } from "./program-copy.ts";
import type { Resident, Residents } from "./residents.ts";
import { ROOM_FILES, ROOM_HOME, spawnAsUser } from "./room.ts";

const PROGRAM = fileURLToPath(new URL("../../job-program/prepare/main.ts", import.meta.url));
const NODE_OPTIONS = ["--max-old-space-size=128", "--max-semi-space-size=1", "--no-warnings"];
/** A killed process goes within moments unless the disk under it hangs; then nobody may believe that it is gone. */
const END_DEADLINE_MS = 30_000;

export interface ProcessSetupOptions {
  readonly deploymentId: string;
  readonly place: Place;
  readonly residents: Residents;
  readonly volumes: Pick<Volumes, "inspect" | "identity">;
}

/** Jobs that do a workspace's work while it rests: processes of its owner's account, known by a mark and a record of ours. */
export class ProcessSetupLauncher implements SetupLauncher {
  readonly #options: ProcessSetupOptions;
  /** Whoever ends a job and whoever sees it end take the same things away. */
  readonly #ending = new Map<string, Promise<boolean>>();

  constructor(options: ProcessSetupOptions) {
    this.#options = options;
  }

  async launch(spec: SetupLaunch): Promise<RunningJob> {
    const { residents, volumes } = this.#options;
    const { volume, ownerId } = spec;
    const { workspaceId } = spec.labels;
    await requireFinishedHome(volumes, { volume, workspaceId });
    const resident = await residents.admitAtRest({ workspaceId, ownerId, volume });
    return await this.#launch(spec, resident, this.#describe(spec, resident));
  }

  async launchApart(spec: ApartLaunch, signal: AbortSignal): Promise<RunningJob> {
    const apart = await this.#options.residents.admitApart({ id: spec.labels.workspaceId, ownerId: spec.ownerId });
    signal.throwIfAborted();
    const record = this.#describe(spec, apart);
    const home = record.memoryDir === null ? ROOM_HOME : join(record.memoryDir, "home");
    return await this.#launch(spec, { ...apart, home }, record);
  }

  async #launch(spec: SetupLaunch | ApartLaunch, resident: Resident, record: JobRecord): Promise<RunningJob> {
    const { place } = this.#options;
    const program = resident.uid === null ? PROGRAM : await copyProgram(PROGRAM, place.dataDir);
    const command = [await reachableNode(place.ideDir), ...NODE_OPTIONS, program, ...jobArguments(spec.request)];
    await writeJob(place, record);
    try {
      const files = record.memoryDir === null ? ROOM_FILES : await makeFolder(record.memoryDir, record.uid, "files");
      if (dirname(resident.home) === record.memoryDir) await makeFolder(record.memoryDir, record.uid, "home");
      const child = start(record, resident, { command, files, env: spec.env });
      const exited = this.#ended(child, record);
      await once(child, "spawn");
      child.stdin.end(filesTar(spec.files));
      return running(child, exited);
    } catch (error) {
      await this.#end(record).catch(() => {});
      const why = (error as Error).message;
      throw new OperationFailure("ActionFailed", `the job could not be started: ${why}`, { cause: error });
    }
  }

  /** In a room there is a place in memory; without one it is made. */
  #describe(spec: SetupLaunch | ApartLaunch, { uid, room }: Omit<Resident, "home">): JobRecord {
    const nonce = randomBytes(6).toString("hex");
    const { memoryDir } = this.#options.place;
    if (room === null && memoryDir === null) {
      throw new OperationFailure(
        "ActionFailed",
        "A job cannot be given files here: no place of this machine is only in memory.",
      );
    }
    return {
      id: `${spec.labels.workspaceId}.job-${nonce}`,
      deployment: this.#options.deploymentId,
      ...spec.labels,
      uid,
      memoryDir: room !== null || memoryDir === null ? null : join(memoryDir, `job-${nonce}`),
    };
  }

  #ended(child: ChildProcess, record: JobRecord): Promise<JobExit> {
    const exited = once(child, "exit").then(async ([code]): Promise<JobExit> => {
      await this.#end(record);
      return { code: typeof code === "number" ? code : null };
    });
    exited.catch(() => {});
    return exited;
  }

  async find(workspaceId: string): Promise<string[]> {
    const jobs = await this.#of(workspaceId);
    const alive = await Promise.all(jobs.map(async (job) => (await processesOfJob(job)).length > 0));
    return [...new Set(jobs.filter((_, index) => alive[index]).map(({ attempt }) => attempt))];
  }

  async end(workspaceId: string): Promise<void> {
    for (const job of await this.#of(workspaceId)) await this.#end(job);
  }

  async #of(workspaceId: string): Promise<JobRecord[]> {
    const { deploymentId, place } = this.#options;
    const jobs = await readJobs(place);
    return jobs.filter((job) => job.workspaceId === workspaceId && job.deployment === deploymentId);
  }

  async #end(record: JobRecord): Promise<void> {
    const ending = this.#ending.get(record.id) ?? endJob(this.#options.place, record, END_DEADLINE_MS);
    this.#ending.set(record.id, ending);
    if (await ending.finally(() => this.#ending.delete(record.id))) return;
    throw new OperationFailure("ActionFailed", "a job was killed but has not gone: its disk may hang");
  }
}

/** Its user's from the beginning: nothing is in it but what that user unpacks. */
async function makeFolder(memoryDir: string, uid: number | null, name: string): Promise<string> {
  const folder = join(memoryDir, name);
  await ours(dirname(memoryDir), uid === null ? 0o700 : 0o711);
  await mkdir(memoryDir, { recursive: true, mode: 0o711 });
  await mkdir(folder, { mode: 0o700 });
  if (uid !== null) await chown(folder, uid, uid);
  return folder;
}

interface Program {
  readonly command: readonly string[];
  readonly files: string;
  readonly env: Readonly<Record<string, string>>;
}

type JobProcess = ChildProcessByStdio<Writable, Readable, Readable>;

function start(record: JobRecord, { uid, room, home }: Resident, { command, files, env }: Program): JobProcess {
  const child = spawnAsUser(room, uid, {
    command: ["/bin/sh", "-c", SETUP_STEPS, "sh", ...command],
    cwd: home,
    stdin: "pipe",
    marks: markOf(record),
    // Nothing of the server's own environment: it holds secrets.
    env: {
      ...env,
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      HOME: home,
      USER: "coder",
      LOGNAME: "coder",
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      [FILES_VARIABLE]: files,
      [PROTOCOL_VARIABLE]: String(PROTOCOL_VERSION),
      ...markOf(record),
    },
  }) as JobProcess;
  // Whoever does not read it has ended, and is seen to have.
  child.stdin.on("error", () => {});
  return child;
}

function running(child: JobProcess, exited: Promise<JobExit>): RunningJob {
  const { stdout, stderr, pid } = child;
  return {
    image: null,
    stderr,
    bytes: async () => ({ input: null, output: stdout }),
    exited,
    kill: () => {
      if (child.exitCode !== null || child.signalCode !== null || pid === undefined) return;
      try {
        process.kill(-pid, "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    },
    release: () => stdout.destroy(),
  };
}

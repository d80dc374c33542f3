import type { JobReport } from "#job-program/protocol.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Checked, CheckSpec, Prepared, PrepareOptions, PrepareSpec, SetupJobs } from "#ports/jobs.ts";
import { outcomeWithoutBytes } from "./job-conversation.ts";
import type { RunningJob, SetupLauncher } from "./job-launcher.ts";
import { readChecked, readPrepared, readPreparing } from "./prepared-report.ts";

/** Jobs that do a workspace's work while it rests, on every runtime: the launcher starts the program, this class hears it out. */
export class SetupJobRunner implements SetupJobs {
  readonly #launcher: SetupLauncher;

  constructor(launcher: SetupLauncher) {
    this.#launcher = launcher;
  }

  async prepare(spec: PrepareSpec, { onProgress, signal }: PrepareOptions): Promise<Prepared> {
    signal.throwIfAborted();
    const { workspaceId, attempt, volume, ownerId, hostPort, files, env, dotfiles } = spec;
    const { cloneUrl, protocol, host, ref, folder } = spec.source;
    const request = { kind: "prepare", attempt, cloneUrl, protocol, host, ref, folder, dotfiles } as const;
    const labels = { workspaceId, attempt };
    const job = await this.#launcher.launch({ request, labels, volume, ownerId, hostPort, files, env });
    return await heardOut(job, signal, async () => {
      const report = await outcomeWithoutBytes(job, (progress) => {
        const read = readPreparing(progress);
        if (read !== null) onProgress(read);
      });
      return preparedOf(report);
    });
  }

  async check(spec: CheckSpec, { signal }: Pick<PrepareOptions, "signal">): Promise<Checked> {
    signal.throwIfAborted();
    const { checkId, ownerId, cloneUrl, limitSeconds, files, env } = spec;
    const request = { kind: "check", cloneUrl, limitSeconds } as const;
    const labels = { workspaceId: checkId, attempt: checkId };
    const job = await this.#launcher.launchApart({ request, labels, ownerId, files, env }, signal);
    return await heardOut(job, signal, async () => checkedOf(await outcomeWithoutBytes(job)));
  }
}

/** However it ends, the job is gone then. */
async function heardOut<T>(job: RunningJob, signal: AbortSignal, listen: () => Promise<T>): Promise<T> {
  const kill = () => job.kill();
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    return await listen();
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    await job.exited;
    signal.throwIfAborted();
  }
}

function preparedOf(report: JobReport): Prepared {
  const prepared = "prepared" in report ? readPrepared(report.prepared) : null;
  if (prepared !== null) return prepared;
  throw unreadable(report);
}

function checkedOf(report: JobReport): Checked {
  const checked = "checked" in report ? readChecked(report.checked) : null;
  if (checked !== null) return checked;
  throw unreadable(report);
}

const unreadable = (report: JobReport): OperationFailure =>
  new OperationFailure("ActionFailed", `the job gave an answer that cannot be read: ${Object.keys(report)}`);

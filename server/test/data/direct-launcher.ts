import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { endProcesses, findProcesses } from "#adapters/process/labels.ts";
import {
  ADDRESSES_VARIABLE,
  jobArguments,
  PROTOCOL_VARIABLE,
  PROTOCOL_VERSION,
  VOLUME_VARIABLE,
} from "#job-program/protocol.ts";
import type { JobLaunch, JobLauncher, RunningJob } from "#jobs/job-launcher.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("#job-program/storage/main.ts"));
const [WORKSPACE, ATTEMPT, JOB] = ["TEST_JOB_WORKSPACE", "TEST_JOB_ATTEMPT", "TEST_JOB_ID"];

/** Jobs as processes that send and read archives by themselves, as they do where they run far away from the server. */
export class DirectLauncher implements JobLauncher {
  readonly takesFiles = false;
  readonly direct = {
    partsFor: async () => ({ parts: 20, partBytes: 5 * 2 ** 20 }),
    validSeconds: 600,
    ca: null,
  };
  readonly #volumes: { readonly path: (name: string) => string };
  readonly #scratch: string;

  constructor(volumes: { readonly path: (name: string) => string }, scratch: string) {
    this.#volumes = volumes;
    this.#scratch = scratch;
  }

  async launch(spec: JobLaunch): Promise<RunningJob> {
    const id = randomUUID();
    const file = join(this.#scratch, `${id}.json`);
    writeFileSync(file, JSON.stringify(spec.addresses), { mode: 0o600 });
    const child = spawn(process.execPath, ["--no-warnings", PROGRAM, ...jobArguments(spec.request)], {
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        PATH: process.env["PATH"],
        [ADDRESSES_VARIABLE]: file,
        [PROTOCOL_VARIABLE]: String(PROTOCOL_VERSION),
        [WORKSPACE]: spec.labels.workspaceId,
        [ATTEMPT]: spec.labels.attempt,
        [JOB]: id,
        ...(spec.volume === null ? {} : { [VOLUME_VARIABLE]: this.#volumes.path(spec.volume.name) }),
      },
    });
    const exited = once(child, "exit").then(async ([code]) => {
      await this.#endAll({ [JOB]: id });
      return { code: typeof code === "number" ? code : null };
    });
    await once(child, "spawn");
    return {
      image: null,
      stderr: child.stderr,
      bytes: async () => ({ input: null, output: Readable.from([]) }),
      exited,
      kill: () => {
        this.#endAll({ [JOB]: id }).catch(() => {});
      },
      release: () => {},
    };
  }

  async find(workspaceId: string): Promise<string[]> {
    const found = await findProcesses({ [WORKSPACE]: workspaceId });
    return [...new Set(found.map(({ environment }) => environment.get(ATTEMPT) ?? ""))];
  }

  async end(workspaceId: string): Promise<void> {
    await this.#endAll({ [WORKSPACE]: workspaceId });
  }

  #endAll(labels: Record<string, string>): Promise<boolean> {
    return endProcesses(labels, 30_000, (ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  }
}

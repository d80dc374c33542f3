import { randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { JobFailure, type JobRequest } from "#job-program/protocol.ts";
import { readIdentity, seal } from "#job-program/storage/identity.ts";
import { outcomeWithoutBytes } from "#jobs/job-conversation.ts";
import type { JobLauncher } from "#jobs/job-launcher.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { VolumeIdentity, VolumeSeen, Volumes } from "#ports/volumes.ts";
import { runToEnd } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { JOB_CONFINEMENT, NO_NETWORK } from "./jobs.ts";
import { ATTEMPT, DEPLOYMENT, labelFilter, ROLE, WORKSPACE } from "./labels.ts";
import { makeHome, type VolumeFolders } from "./volume-folders.ts";
import { WORKSPACE_UID } from "./workspace-container.ts";

export interface DockerVolumesOptions {
  readonly engine: Engine;
  readonly deploymentId: string;
  readonly jobImage: string;
  readonly jobs: JobLauncher;
  /** Without it everything that is in a volume is for job containers. */
  readonly folders?: Pick<VolumeFolders, "find">;
}

interface EngineVolume {
  readonly Name: string;
  readonly Mountpoint: string;
  readonly Labels: Readonly<Record<string, string>> | null;
}

const CREATION = "codehub.creation";
const MEASURE_MS = 30_000;

/**
 * Named volumes of the engine. Homes are seen and changed only by job containers, wherever the engine is; an empty home and
 * the identity beside it also by this process, where it has the engine's files.
 */
export class DockerVolumes implements Volumes {
  readonly grow = null;
  readonly #options: DockerVolumesOptions;
  readonly #engine: Engine;
  /**
   * Identities that were read: they never change, and reading one may take a container. A volume of the same name that was
   * made anew has another creation label or none.
   */
  readonly #known = new Map<string, { readonly creation: string; readonly identity: VolumeIdentity }>();

  #root: { readonly at: number; readonly path: string } | null = null;
  #measured: { readonly at: number; readonly space: { freeBytes: number; totalBytes: number } } | null = null;

  constructor(options: DockerVolumesOptions) {
    this.#options = options;
    this.#engine = options.engine;
  }

  async list(): Promise<VolumeSeen[]> {
    const filters = labelFilter({ [DEPLOYMENT]: this.#options.deploymentId, [ROLE]: "home" });
    const query = { filters };
    const answer = await this.#engine.need<{ Volumes: EngineVolume[] | null }>("GET", "/volumes", {
      query,
    });
    return (answer.Volumes ?? []).map(toSeen);
  }

  async inspect(name: string): Promise<VolumeSeen | null> {
    const volume = await this.#find(name);
    return volume === null ? null : toSeen(volume);
  }

  /** Null for one that is not ours, also when it has the name: the engine makes volumes up, without labels. */
  async #find(name: string): Promise<EngineVolume | null> {
    const volume = await this.#engine.call<EngineVolume>("GET", `/volumes/${encodeURIComponent(name)}`);
    return volume?.Labels?.[DEPLOYMENT] === this.#options.deploymentId ? volume : null;
  }

  async create(spec: { name: string; workspaceId: string; attempt: string }): Promise<boolean> {
    const exists = await this.#engine.call("GET", `/volumes/${encodeURIComponent(spec.name)}`);
    if (exists !== null) return false;
    const creation = randomUUID();
    const labels = {
      [DEPLOYMENT]: this.#options.deploymentId,
      [ROLE]: "home",
      [WORKSPACE]: spec.workspaceId,
      [ATTEMPT]: spec.attempt,
      [CREATION]: creation,
    };
    await this.#engine.need("POST", "/volumes/create", { body: { Name: spec.name, Driver: "local", Labels: labels } });
    // The engine answers the same for a volume that was there: only its labels tell whose it is.
    const made = await this.#find(spec.name);
    if (made?.Labels?.[CREATION] !== creation) return false;
    const folder = await this.#folder(made);
    await (folder === null ? this.#makeHome(spec) : told(makeHome(folder)));
    return true;
  }

  async #makeHome(spec: { name: string; workspaceId: string; attempt: string }): Promise<void> {
    const owner = `${WORKSPACE_UID}:${WORKSPACE_UID}`;
    const config = {
      Image: this.#options.jobImage,
      ...NO_NETWORK,
      Entrypoint: ["/bin/sh", "-c"],
      Cmd: [`chmod 0711 /volume && mkdir -m 0700 /volume/home && chown ${owner} /volume/home`],
      User: "0:0",
      Labels: {
        [DEPLOYMENT]: this.#options.deploymentId,
        [ROLE]: "job",
        [WORKSPACE]: spec.workspaceId,
        [ATTEMPT]: spec.attempt,
      },
      HostConfig: {
        ...JOB_CONFINEMENT,
        LogConfig: { Type: "json-file", Config: { "max-size": "64k" } },
        Mounts: [{ Type: "volume", Source: spec.name, Target: "/volume", VolumeOptions: { NoCopy: true } }],
      },
    };
    await runToEnd(this.#engine, config, `preparing the volume ${spec.name}`, 60_000);
  }

  async seal(name: string, identity: VolumeIdentity): Promise<void> {
    const volume = await this.#need(name);
    const folder = await this.#folder(volume);
    if (folder === null) await this.#job(volume, { kind: "seal", identity }, "write");
    else await told(seal(folder, identity));
    this.#remember(volume, identity);
  }

  async identity(name: string): Promise<VolumeIdentity | null> {
    const volume = await this.#need(name);
    const known = this.#known.get(name);
    if (known !== undefined && known.creation === volume.Labels?.[CREATION]) return known.identity;
    const folder = await this.#folder(volume);
    const identity = await (folder === null ? this.#askJob(volume) : told(readIdentity(folder)));
    if (identity !== null) this.#remember(volume, identity);
    return identity;
  }

  async #askJob(volume: EngineVolume): Promise<VolumeIdentity | null> {
    const report = await this.#job(volume, { kind: "identity" }, "read");
    if (!("identity" in report)) throw new OperationFailure("ActionFailed", "the job answered another question");
    return report.identity;
  }

  async #folder(volume: EngineVolume): Promise<string | null> {
    return (await this.#options.folders?.find(volume)) ?? null;
  }

  #remember(volume: EngineVolume, identity: VolumeIdentity): void {
    const creation = volume.Labels?.[CREATION];
    if (creation !== undefined) this.#known.set(volume.Name, { creation, identity });
  }

  async #need(name: string): Promise<EngineVolume> {
    const volume = await this.#find(name);
    if (volume === null) throw new OperationFailure("ActionFailed", `there is no volume ${name}`);
    return volume;
  }

  async #job(volume: EngineVolume, request: JobRequest, access: "read" | "write") {
    const { workspaceId, attempt } = toSeen(volume);
    const labels = { workspaceId, attempt };
    const job = await this.#options.jobs.launch({ request, labels, volume: { name: volume.Name, access } });
    return await outcomeWithoutBytes(job);
  }

  async remove(name: string): Promise<void> {
    if ((await this.#find(name)) === null) return;
    this.#known.delete(name);
    try {
      await this.#engine.call("DELETE", `/volumes/${encodeURIComponent(name)}`, { timeoutMs: 300_000 });
    } catch (error) {
      if (!(error instanceof EngineError) || error.status !== 409) throw error;
      throw new OperationFailure("ActionFailed", `the volume ${name} is in use: not removed. ${error.message}`);
    }
    if ((await this.#find(name)) !== null)
      throw new Error(`the engine removed the volume ${name}, but it is still there`);
  }

  /** Of the disk under the engine's data, which need not be this machine's. */
  async freeSpace(): Promise<{ freeBytes: number; totalBytes: number }> {
    const local = await this.#localSpace();
    if (local !== null) return local;
    if (this.#measured === null || performance.now() - this.#measured.at > MEASURE_MS) {
      this.#measured = { at: performance.now(), space: await this.#measure() };
    }
    return this.#measured.space;
  }

  /** Null when the engine's directory is not here: it runs elsewhere, or we in a container. */
  async #localSpace(): Promise<{ freeBytes: number; totalBytes: number } | null> {
    if (!this.#engine.isLocal) return null;
    if (this.#root === null || performance.now() - this.#root.at > MEASURE_MS) {
      const { DockerRootDir: path } = await this.#engine.need<{ DockerRootDir: string }>("GET", "/info");
      this.#root = { at: performance.now(), path };
    }
    const found = await statfs(join(this.#root.path, "volumes")).catch(() => null);
    return found && { freeBytes: found.bavail * found.bsize, totalBytes: found.blocks * found.bsize };
  }

  async #measure(): Promise<{ freeBytes: number; totalBytes: number }> {
    const config = {
      Image: this.#options.jobImage,
      ...NO_NETWORK,
      Entrypoint: ["/bin/sh", "-c"],
      // The engine keeps this file beside its volumes.
      Cmd: ["stat -f -c '%a %b %S' /etc/hostname"],
      Labels: { [DEPLOYMENT]: this.#options.deploymentId, [ROLE]: "job" },
      HostConfig: { ...JOB_CONFINEMENT, LogConfig: { Type: "json-file", Config: { "max-size": "64k" } } },
    };
    const output = await runToEnd(this.#engine, config, "measuring the engine's disk", 30_000);
    const [available, total, block] = output.trim().split(" ").map(Number);
    if (!available || !total || !block) throw new Error(`the engine's disk cannot be measured: ${output}`);
    return { freeBytes: available * block, totalBytes: total * block };
  }
}

/** In the words of a job, whoever did its work. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof JobFailure) throw new OperationFailure(error.reason, message, { cause: error });
    const full = ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
    throw new OperationFailure(full ? "DiskFull" : "ActionFailed", message, { cause: error });
  }
}

function toSeen(volume: EngineVolume): VolumeSeen {
  return { name: volume.Name, workspaceId: volume.Labels?.[WORKSPACE] ?? "", attempt: volume.Labels?.[ATTEMPT] ?? "" };
}

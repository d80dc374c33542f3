import { randomBytes } from "node:crypto";
import { link, readFile, rm, statfs, watch, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { diskUse } from "#adapters/runtime-parts/disk-use.ts";
import { requireFinishedHome } from "#adapters/runtime-parts/finished-home.ts";
import {
  EMPTY_LIMITS,
  emptyCommand,
  type HearLimits,
  LOOK_LIMITS,
  lookCommand,
  readEmptied,
  readLook,
} from "#adapters/runtime-parts/home-space.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { requireTaken } from "#adapters/runtime-parts/start-extras.ts";
import { type ContainerSeen, type Seen, seen, unseen } from "#core/rows/observation.ts";
import type { Address } from "#core/rows/workspace.ts";
import type { UsageSeen } from "#core/rules/usage.ts";
import type { Emptied, HomeLook } from "#core/space/home-look.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { IdeFiles } from "#ports/ide-files.ts";
import type { Lack, ListeningPort, OnWaiting, PortAddress, Runtime, StartSpec } from "#ports/runtime.ts";
import type { Volumes } from "#ports/volumes.ts";
import { Accounts, unreachableParent } from "./accounts.ts";
import { countHome } from "./count-home.ts";
import { codeServer, type IdeCommand } from "./ide-command.ts";
import { IdeInstall } from "./ide-install.ts";
import { readJobs, removeEndedJobs } from "./job-record.ts";
import { createContainer, startSupervisor } from "./launch.ts";
import { ListeningPorts } from "./listening-port.ts";
import { homeOf, type Place, preparePlace } from "./place.ts";
import { isAlive, processesOf, signal } from "./proc.ts";
import * as records from "./record.ts";
import { Residents } from "./residents.ts";
import { tryRoom } from "./room.ts";
import { lastLines } from "./rotating-log.ts";
import { sayInside } from "./say-inside.ts";
import { ProcessSetupLauncher } from "./setup-jobs.ts";
import { type Working, workOf } from "./work.ts";

export interface ProcessRuntimeOptions {
  readonly dataDir: string;
  readonly deploymentId: string;
  readonly volumes: Pick<Volumes, "inspect" | "identity">;
  /** Shared by several servers, or prepared beforehand. Below the data directory unless told. */
  readonly ideDir?: string;
  /** Instead of code-server: for tests. */
  readonly ide?: IdeCommand | undefined;
  /** False: as if none could be made here. For tests. */
  readonly rooms?: false;
  /** Where a port of a workspace is served, with `{{port}}` in it, for the links that the IDE shows. */
  readonly portUrl?: (nameInHosts: string) => string;
}

const FORCE_LIMIT_MS = 10_000;
const LOG_READ_BYTES = 256 * 1024;

/** Prepares the data directory. Rejects, saying what to do, where accounts of workspaces could not reach it. */
export async function createProcessRuntime(options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
  const asRoot = process.getuid?.() === 0;
  const prepared = await preparePlace(options.dataDir, options.ideDir, asRoot);
  const place = { ...prepared, rooms: options.rooms === false ? null : await tryRoom(prepared) };
  const closed = asRoot ? await unreachableParent(place.dataDir) : null;
  if (closed !== null) {
    throw new Error(
      `Workspaces run under accounts of their own, which may not pass through ${closed}. ` +
        "Set DATA_DIR to a place that everybody may pass through, such as /var/lib/codehub.",
    );
  }
  await removeEndedJobs(place);
  await records.removeLeftovers(place);
  return new ProcessRuntime(options, place, new Residents(place, new Accounts(place.dataDir, asRoot)));
}

/**
 * Workspaces as processes of this machine, for people who trust each other: their files are kept apart, the machine's
 * network and its load are not.
 */
export class ProcessRuntime implements Runtime {
  readonly kind = "process";
  readonly takes: Runtime["takes"];
  readonly lacks: readonly Lack[];
  readonly giveUp = null;
  readonly hostPorts = null;
  readonly answers = answersHealthz;
  /** Sockets lie where only their own workspace can put them. */
  readonly confirms = (): boolean => true;
  readonly #ports = new ListeningPorts();
  readonly #options: ProcessRuntimeOptions;
  readonly #place: Place;
  /** For what else runs as a workspace's user. */
  readonly residents: Residents;
  readonly #install: IdeInstall;
  readonly ideFiles: IdeFiles | null;
  readonly setup: ProcessSetupLauncher;

  constructor(options: ProcessRuntimeOptions, place: Place, residents: Residents) {
    this.#options = options;
    this.#place = place;
    this.residents = residents;
    this.#install = new IdeInstall(place.ideDir);
    const { deploymentId, volumes } = options;
    this.setup = new ProcessSetupLauncher({ deploymentId, volumes, place, residents });
    // Nothing bounds what a workspace uses here, and its processes are of this machine by name.
    const files = place.rooms !== null || place.memoryDir !== null;
    this.lacks = [
      ...(place.rooms === null ? (["user_name", "home_path"] as const) : []),
      ...(files ? [] : (["memory_files"] as const)),
    ];
    const hostName = place.rooms !== null;
    this.takes = { hostName, size: false, init: true, files, prelude: files, pullCredential: false };
    // An IDE of somebody else's has files that we do not know.
    this.ideFiles =
      options.ide === undefined
        ? { find: async (path, accepted) => (await this.#install.files())?.find(path, accepted) ?? null }
        : null;
  }

  /** Made once for a data directory and kept in it: another one holds other workspaces. */
  async engineId(): Promise<string> {
    const path = join(this.#place.dataDir, "engine-id");
    const read = () => readFile(path, "utf8").then((text) => text.trim());
    return await read().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      const temporary = `${path}.${randomBytes(6).toString("hex")}`;
      await writeFile(temporary, `process-${randomBytes(16).toString("hex")}\n`, { mode: 0o600, flush: true });
      // The first one wins, whole: a link is never made over an existing name.
      await link(temporary, path).catch((failure: NodeJS.ErrnoException) => {
        if (failure.code !== "EEXIST") throw failure;
      });
      await rm(temporary);
      return await read();
    });
  }

  async list(): Promise<ContainerSeen[]> {
    const all = await records.readContainers(this.#place.runDir);
    const ours = all.filter((record) => record.deployment === this.#options.deploymentId);
    return await Promise.all(ours.map((record) => records.observe(this.#place.runDir, record)));
  }

  async inspect(workspaceId: string): Promise<ContainerSeen[]> {
    const record = await records.readContainer(this.#place.runDir, workspaceId);
    if (record?.deployment !== this.#options.deploymentId) return [];
    return [await records.observe(this.#place.runDir, record)];
  }

  async ensureImage(_imageRef: string, onWaiting: OnWaiting, abort: AbortSignal): Promise<void> {
    if (this.#options.ide !== undefined) return;
    await this.#install.ensure(onWaiting, abort);
    // Meanwhile the container starts. Whoever asks before it is done waits for it; whether it worked is seen then.
    void this.#install
      .files()
      .then((files) => files?.prepare())
      .catch(() => {});
  }

  async start(spec: StartSpec, abort: AbortSignal): Promise<{ containerId: string; address: Address }> {
    requireTaken(spec, this.takes);
    await requireFinishedHome(this.#options.volumes, spec);
    const ide = await this.#ide();
    const resident = await this.residents.admit(spec, abort);
    const portUrl = this.#options.portUrl?.(spec.nameInHosts ?? spec.workspaceId) ?? null;
    const launch = { ...spec, deployment: this.#options.deploymentId, resident, ide, portUrl };
    const record = await createContainer(this.#place, launch);
    await startSupervisor(this.#place, record, spec.files ?? [], abort);
    return { containerId: record.id, address: { kind: "unix", path: record.socketPath } };
  }

  async #ide(): Promise<IdeCommand> {
    if (this.#options.ide !== undefined) return this.#options.ide;
    const installed = await this.#install.find();
    if (installed === null) throw new OperationFailure("ActionFailed", "The IDE is not installed yet.");
    return codeServer(installed.node, installed.entry);
  }

  async remove(containerId: string, graceSeconds: number): Promise<void> {
    const record = await this.#find(containerId);
    if (record !== null) await this.#askToEnd(record, graceSeconds);
    await this.#force({ deployment: this.#options.deploymentId, id: containerId }, record?.uid ?? null);
    if (record !== null) await records.removeContainerDir(this.#place.runDir, record);
  }

  async #askToEnd(record: records.ContainerRecord, graceSeconds: number): Promise<void> {
    const started = await this.#started(record);
    if (started === null || graceSeconds <= 0) return;
    await signal(started.supervisor, "SIGTERM");
    const deadline = performance.now() + graceSeconds * 1_000;
    while ((await isAlive(started.supervisor)) && performance.now() < deadline) await pause();
  }

  /** Until a look finds nothing: what was started while the rest was ended is found by the next look. */
  async #force(container: { deployment: string; id: string }, uid: number | null): Promise<void> {
    const deadline = performance.now() + FORCE_LIMIT_MS;
    const containers = (await records.readContainers(this.#place.runDir)).filter(({ id }) => id !== container.id);
    const others = [...containers, ...(await readJobs(this.#place))];
    const alone = uid !== null && others.every((record) => record.uid !== uid);
    for (;;) {
      const left = await processesOf(container, uid, alone);
      if (left.length === 0) return;
      if (performance.now() > deadline)
        throw new Error(`Processes of ${container.id} do not end: ${left.map((one) => one.pid)}`);
      for (const one of left) await signal(one, "SIGKILL");
      await pause();
    }
  }

  async logs(containerId: string, lines: number): Promise<string> {
    const record = await this.#find(containerId);
    if (record === null) return "";
    return await lastLines(join(this.#place.runDir, record.workspaceId, records.LOG), lines, LOG_READ_BYTES);
  }

  /** Nothing bounds a home here but the disk that all of them are on. */
  async usage(containers: readonly ContainerSeen[]): Promise<ReadonlyMap<string, UsageSeen>> {
    const found = await Promise.all(containers.map(({ id }) => this.#resident(id)));
    const residents = found.filter((resident) => resident !== null);
    const [work, disk] = await Promise.all([
      workOf(residents),
      statfs(this.#place.dataDir).then(
        (all) => seen({ ...diskUse(all), shared: true }),
        () => unseen("unanswered"),
      ),
    ]);
    const said = (id: string): UsageSeen => {
      const own = work.get(id);
      if (own === undefined) return { disk, cpu: unseen("unanswered"), memoryBytes: unseen("unanswered") };
      return { disk, cpu: seen({ totalMs: own.busyMs }), memoryBytes: own.memoryBytes };
    };
    return new Map(containers.map(({ id }) => [id, said(id)]));
  }

  async homeBytes({ id, volume }: ContainerSeen): Promise<Seen<number>> {
    const record = await this.#find(id);
    if (record === null || volume === null) return unseen("unanswered");
    return await countHome(homeOf(this.#place, volume), record.uid);
  }

  async lookIntoHome(containerId: string, folders: readonly string[]): Promise<HomeLook> {
    return readLook(await this.#say(containerId, (home) => lookCommand(home, folders), LOOK_LIMITS));
  }

  async emptyInHome(containerId: string, folders: readonly string[]): Promise<Emptied> {
    return readEmptied(await this.#say(containerId, (home) => emptyCommand(home, folders), EMPTY_LIMITS));
  }

  async #say(containerId: string, command: (home: string) => readonly string[], limits: HearLimits): Promise<string> {
    const record = await this.#find(containerId);
    // One that has ended has its home at rest, where whoever leads may be at work on it.
    if (record === null || (await records.observe(this.#place.runDir, record)).state !== "running") {
      throw new OperationFailure("ActionFailed", `Container ${containerId} does not run.`);
    }
    return await sayInside(this.#place, record, command, limits);
  }

  async #resident(containerId: string): Promise<Working | null> {
    const record = await this.#find(containerId);
    const started = record === null ? null : await this.#started(record);
    return record === null || started === null ? null : { ...record, root: started.supervisor.pid };
  }

  async portAddress(containerId: string, port: number): Promise<PortAddress | null> {
    const record = await this.#find(containerId);
    if (record === null) return null;
    return await this.#ports.find(record, port, () => processesOf(record, record.uid));
  }

  async listening(containerId: string): Promise<readonly ListeningPort[]> {
    const record = await this.#find(containerId);
    return record === null ? [] : await this.#ports.all(record.uid, await processesOf(record, record.uid));
  }

  async watch(onHint: (workspaceId: string) => void, abort: AbortSignal): Promise<void> {
    const own = basename(this.#place.hintsDir);
    try {
      for await (const event of watch(this.#place.hintsDir, { signal: abort })) {
        // What happens to the folder itself, such as a change of its mode at a start, is told under its own name.
        if (event.filename !== null && event.filename !== own) onHint(event.filename);
      }
    } catch (error) {
      if (!abort.aborted) throw error;
    }
  }

  async #find(containerId: string): Promise<records.ContainerRecord | null> {
    const record = await records.readContainer(this.#place.runDir, records.workspaceOf(containerId));
    return record?.id === containerId && record.deployment === this.#options.deploymentId ? record : null;
  }

  #started(record: records.ContainerRecord): Promise<records.StartedRecord | null> {
    return records.readJson<records.StartedRecord>(join(this.#place.runDir, record.workspaceId, records.STARTED));
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

import { lstat, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Reason } from "#core/rows/meaning.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Place } from "./place.ts";
import { isAlive, type ProcessIdentity } from "./proc.ts";
import { removeTree } from "./remove-tree.ts";
import type { Room } from "./room.ts";

/** What a container is: written once, before anything runs. */
export interface ContainerRecord {
  readonly id: string;
  readonly deployment: string;
  readonly workspaceId: string;
  readonly attempt: string;
  readonly volume: string;
  readonly ownerId: string;
  readonly imageRef: string;
  /** Null when the workspace runs as whoever runs the server. */
  readonly uid: number | null;
  /** Where its processes are, except where none can be made. */
  readonly room?: Room;
  /** Where the proxy connects. */
  readonly socketPath: string;
  /** Ours, passable; holds the socket's name that the workspace cannot replace. */
  readonly socketDir: string;
  /** The workspace's own, private; the IDE binds its socket here. */
  readonly userSocketDir: string;
  /** Ours, in memory: holds the folder of the files that this start was given. */
  readonly memoryDir?: string;
  /** The files come through its supervisor's input, to whoever is the first to run. */
  readonly takesInput?: boolean;
  /** A step comes before the IDE, and may fail. */
  readonly hasInit?: boolean;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly hintFile: string;
  readonly logLimitBytes: number;
}

/** Written by the supervisor once the program runs, and when it has ended. */
export interface StartedRecord {
  readonly supervisor: ProcessIdentity;
}
export interface ExitRecord {
  readonly code: number;
  readonly message: string | null;
  readonly ended?: Reason;
}

export const RECORD = "container.json";
export const STARTED = "started.json";
export const EXIT = "exit.json";
export const LOG = "log";

/** The id names its workspace, so that the directory is found from the id and from the workspace alike. */
export const workspaceOf = (containerId: string): string => containerId.slice(0, 36);

export async function readContainer(runDir: string, workspaceId: string): Promise<ContainerRecord | null> {
  return await readJson<ContainerRecord>(join(runDir, workspaceId, RECORD));
}

export async function readContainers(runDir: string): Promise<ContainerRecord[]> {
  const names = (await readdir(runDir)).filter((name) => !name.startsWith("."));
  const records = await Promise.all(names.map((name) => readContainer(runDir, name)));
  return records.filter((record) => record !== null);
}

/** Running means that its supervisor runs, which ends only after everything else of the container has. */
export async function observe(runDir: string, record: ContainerRecord): Promise<ContainerSeen> {
  const dir = join(runDir, record.workspaceId);
  const started = await readJson<StartedRecord>(join(dir, STARTED));
  const running = started !== null && (await isAlive(started.supervisor));
  // Read after the look at the process: an exit in between is then reported with its code.
  const exit = running ? null : await readJson<ExitRecord>(join(dir, EXIT));
  const state = running ? "running" : started === null && exit === null ? "created" : "exited";
  return {
    id: record.id,
    workspaceId: record.workspaceId,
    volume: record.volume,
    attempt: record.attempt,
    state,
    address: running ? { kind: "unix", path: record.socketPath } : null,
    exitCode: exit?.code ?? null,
    ...(exit?.ended === undefined ? {} : { ended: exit.ended }),
  };
}

/** Whole or not at all, also after a power cut. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, JSON.stringify(value), { mode: 0o600, flush: true });
  await rename(temporary, path);
}

export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

export async function touch(path: string): Promise<void> {
  const file = await open(path, "w");
  await file.close();
}

const GONE = ".gone-";
/** Few files lie beside a socket, or in memory. A workspace that keeps adding some is not waited for: the next start removes the rest. */
const SMALL_LIMITS = { asUserMs: 5_000, apartMs: 5_000 };

/** First out of sight in one step, then removed at leisure: a half-removed container is never seen. */
export async function removeContainerDir(runDir: string, record: ContainerRecord): Promise<void> {
  const away = join(runDir, `${GONE}${record.id}`);
  try {
    await rename(join(runDir, record.workspaceId), away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  // Nobody but us can enter the directory above, so nobody can put a link into this one.
  await rm(away, { recursive: true, force: true });
  await removeTree(record.socketDir, SMALL_LIMITS);
  if (record.memoryDir !== undefined) await removeTree(record.memoryDir, SMALL_LIMITS);
  await rm(record.hintFile, { force: true });
}

/** What removals left behind that were interrupted. What still cannot go must not keep the server from starting. */
export async function removeLeftovers({ runDir, socketsDir, memoryDir }: Place): Promise<void> {
  const [socketDirs, memoryDirs] = await Promise.all([
    readdir(socketsDir).then((names) => names.map((name) => join(socketsDir, name))),
    memoryDir === null ? [] : memoryDirsIn(memoryDir),
  ]);
  // A container is recorded before it gets its directories, so this list has the owner of each one in the other.
  const inUse = new Set((await readContainers(runDir)).flatMap((record) => [record.socketDir, record.memoryDir]));
  for (const dir of [...socketDirs, ...memoryDirs]) {
    if (!inUse.has(dir)) await removeTree(dir, SMALL_LIMITS).catch(() => false);
  }
  for (const name of await readdir(runDir)) {
    if (name.startsWith(GONE)) await rm(join(runDir, name), { recursive: true, force: true });
  }
}

/** None where it was never needed; what others have put in its place is not ours to touch. */
async function memoryDirsIn(memoryDir: string): Promise<string[]> {
  const info = await lstat(memoryDir).catch(() => null);
  if (info === null || !info.isDirectory() || info.uid !== process.getuid?.()) return [];
  return (await readdir(memoryDir)).map((name) => join(memoryDir, name));
}

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, open, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FILES_VARIABLE } from "#adapters/runtime-parts/start-extras.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { StartSpec } from "#ports/runtime.ts";
import type { GivenFile } from "#ports/start-extras.ts";
import type { IdeCommand } from "./ide-command.ts";
import { homeOf, ours, type Place } from "./place.ts";
import { markOf } from "./proc.ts";
import { type ContainerRecord, RECORD, writeJson } from "./record.ts";

const SUPERVISOR = fileURLToPath(new URL("./supervisor.ts", import.meta.url));
const START_LIMIT_MS = 20_000;
const LOG_LIMIT_BYTES = 2 * 1024 * 1024;
const SUPERVISOR_ERRORS = "supervisor-errors";

export interface LaunchSpec extends StartSpec {
  readonly deployment: string;
  readonly uid: number | null;
  readonly ide: IdeCommand;
  readonly portUrl: string | null;
}

/**
 * Puts the container in place, in one step: from then on it is listed, also if nothing more ever happens. Like a
 * container's name, the workspace's place can be taken only once.
 */
export async function createContainer(place: Place, spec: LaunchSpec): Promise<ContainerRecord> {
  const record = describe(place, spec);
  const building = join(place.runDir, `.new-${record.id}`);
  await mkdir(building, { mode: 0o700 });
  try {
    await writeJson(join(building, RECORD), record);
    await rename(building, join(place.runDir, spec.workspaceId));
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    throw new OperationFailure(
      "ActionFailed",
      `Workspace ${spec.workspaceId} has a container already; remove it first.`,
    );
  }
  try {
    await mkdir(record.socketDir, { mode: 0o711 });
    await mkdir(record.userSocketDir, { mode: 0o700 });
    if (spec.uid !== null) await chown(record.userSocketDir, spec.uid, spec.uid);
    await pointHome(place, spec);
    if (record.memoryDir !== undefined) await putFiles(record.memoryDir, spec.files ?? [], spec.uid);
  } catch (error) {
    // This machine's own files are in the way: nothing that waiting would heal, as it would an engine's absence.
    const why = (error as Error).message;
    throw new OperationFailure("ActionFailed", `The workspace's place cannot be prepared: ${why}`, { cause: error });
  }
  return record;
}

function describe(place: Place, spec: LaunchSpec): ContainerRecord {
  const nonce = randomBytes(6).toString("hex");
  const id = `${spec.workspaceId}.${nonce}`;
  const socketDir = join(place.socketsDir, nonce);
  const userSocketDir = join(socketDir, "u");
  const home = join(place.homesDir, spec.workspaceId);
  const memoryDir = spec.files === undefined || place.memoryDir === null ? null : join(place.memoryDir, nonce);
  return {
    id,
    deployment: spec.deployment,
    workspaceId: spec.workspaceId,
    attempt: spec.attempt,
    volume: spec.volume,
    ownerId: spec.ownerId,
    imageRef: spec.imageRef,
    uid: spec.uid,
    socketDir,
    userSocketDir,
    ...(memoryDir === null ? {} : { memoryDir }),
    ...(spec.init === undefined ? {} : { init: spec.init }),
    socketPath: join(socketDir, "ide.sock"),
    command: spec.ide.command({ home, socket: join(userSocketDir, "ide.sock"), runtimeDir: userSocketDir }),
    // Nothing of the server's own environment: it holds secrets.
    env: {
      ...spec.env,
      PATH: `${home}/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      HOME: home,
      USER: "coder",
      LOGNAME: "coder",
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      XDG_RUNTIME_DIR: userSocketDir,
      CODEHUB_WORKSPACE: spec.workspaceId,
      ...(memoryDir === null ? {} : { [FILES_VARIABLE]: filesIn(memoryDir) }),
      ...markOf({ deployment: spec.deployment, id }),
      ...(spec.portUrl === null ? {} : { VSCODE_PROXY_URI: spec.portUrl }),
    },
    cwd: home,
    hintFile: join(place.hintsDir, spec.workspaceId),
    logLimitBytes: LOG_LIMIT_BYTES,
  };
}

const filesIn = (memoryDir: string): string => join(memoryDir, "files");

/** The folder is its user's only when all is in it: until then nobody can put anything in anything's place. */
async function putFiles(memoryDir: string, files: readonly GivenFile[], uid: number | null): Promise<void> {
  const folder = filesIn(memoryDir);
  await ours(dirname(memoryDir), uid === null ? 0o700 : 0o711);
  await mkdir(memoryDir, { mode: 0o711 });
  await mkdir(folder, { mode: 0o700 });
  const made = new Set<string>([folder]);
  for (const { path, mode, content } of files) {
    const file = join(folder, path);
    for (let parent = dirname(file); parent !== folder; parent = dirname(parent)) made.add(parent);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { flag: "wx", mode: 0o600 });
    await chmod(file, mode & 0o777);
    if (uid !== null) await chown(file, uid, uid);
  }
  if (uid !== null) for (const dir of [...made].reverse()) await chown(dir, uid, uid);
}

/** A restore makes a volume of another name; the path the user sees stays. */
async function pointHome(place: Place, spec: LaunchSpec): Promise<void> {
  const temporary = join(place.homesDir, `.${spec.workspaceId}`);
  await rm(temporary, { force: true });
  await symlink(homeOf(place, spec.volume), temporary);
  await rename(temporary, join(place.homesDir, spec.workspaceId));
}

/** Starts the supervisor in a session of its own and waits for its word that the program runs. */
export async function startSupervisor(place: Place, record: ContainerRecord, abort: AbortSignal): Promise<void> {
  const dir = join(place.runDir, record.workspaceId);
  await using errors = await open(join(dir, SUPERVISOR_ERRORS), "w", 0o600);
  const supervisor = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", SUPERVISOR, dir], {
    cwd: "/",
    // What Node made of the supervisor is kept where only the server writes; the workspace gets none of this environment.
    env: { PATH: "/usr/bin:/bin", NODE_COMPILE_CACHE: join(place.dataDir, "cache"), ...markOf(record) },
    detached: true,
    stdio: ["ignore", "ignore", errors.fd, "ipc"],
  });
  try {
    await started(supervisor, abort);
  } catch (error) {
    if (abort.aborted) throw error;
    const said = await readFile(join(dir, SUPERVISOR_ERRORS), "utf8").catch(() => "");
    throw new OperationFailure("ActionFailed", `${(error as Error).message} ${said.slice(0, 1_000)}`.trim(), {
      cause: error,
    });
  } finally {
    if (supervisor.connected) supervisor.disconnect();
    supervisor.unref();
  }
}

function started(supervisor: ChildProcess, abort: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error("The workspace's supervisor does not answer.")), START_LIMIT_MS);
    const giveUp = () => reject(abort.reason);
    abort.addEventListener("abort", giveUp, { once: true });
    const settle = (act: () => void) => {
      clearTimeout(limit);
      abort.removeEventListener("abort", giveUp);
      act();
    };
    supervisor.once("message", () => settle(resolve));
    supervisor.once("error", (error) => settle(() => reject(error)));
    supervisor.once("exit", () => settle(() => reject(new Error("The IDE could not be started."))));
    if (abort.aborted) giveUp();
  });
}

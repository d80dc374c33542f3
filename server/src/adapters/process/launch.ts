import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { filesTar } from "#adapters/runtime-parts/files-tar.ts";
import { shellSteps } from "#adapters/runtime-parts/shell-steps.ts";
import { FILES_VARIABLE } from "#adapters/runtime-parts/start-extras.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { StartSpec } from "#ports/runtime.ts";
import type { GivenFile } from "#ports/start-extras.ts";
import type { IdeCommand } from "./ide-command.ts";
import { ours, type Place } from "./place.ts";
import { markOf } from "./proc.ts";
import { type ContainerRecord, RECORD, writeJson } from "./record.ts";
import { pointHome, type Resident } from "./residents.ts";
import { isVariableName, ROOM_FILES } from "./room.ts";

const SUPERVISOR = fileURLToPath(new URL("./supervisor.ts", import.meta.url));
const START_LIMIT_MS = 20_000;
const LOG_LIMIT_BYTES = 2 * 1024 * 1024;
const SUPERVISOR_ERRORS = "supervisor-errors";

export interface LaunchSpec extends StartSpec {
  readonly deployment: string;
  readonly resident: Resident;
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
    if (record.uid !== null) await chown(record.userSocketDir, record.uid, record.uid);
    await pointHome(place, spec);
    if (record.memoryDir !== undefined) await putFiles(record.memoryDir, spec.files ?? [], record.uid);
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
  const { uid, room, home } = spec.resident;
  const takesInput = spec.files !== undefined && room !== null;
  const memoryDir =
    spec.files === undefined || takesInput || place.memoryDir === null ? null : join(place.memoryDir, nonce);
  const files = takesInput ? ROOM_FILES : memoryDir === null ? null : filesIn(memoryDir);
  const folder = spec.folder === undefined ? home : join(home, spec.folder);
  const ide = spec.ide.command({ home, folder, socket: join(userSocketDir, "ide.sock"), runtimeDir: userSocketDir });
  return {
    id,
    deployment: spec.deployment,
    workspaceId: spec.workspaceId,
    attempt: spec.attempt,
    volume: spec.volume,
    ownerId: spec.ownerId,
    imageRef: spec.imageRef,
    uid,
    ...(room === null ? {} : { room }),
    socketDir,
    userSocketDir,
    ...(memoryDir === null ? {} : { memoryDir }),
    ...(takesInput ? { takesInput } : {}),
    ...(spec.init === undefined ? {} : { hasInit: true }),
    socketPath: join(socketDir, "ide.sock"),
    command: withSteps(spec, takesInput, ide),
    // Nothing of the server's own environment: it holds secrets.
    env: {
      ...plainVariables(spec.env ?? {}),
      PATH: `${home}/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      HOME: home,
      USER: "coder",
      LOGNAME: "coder",
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      XDG_RUNTIME_DIR: userSocketDir,
      ...spec.ide.variables,
      CODEHUB_WORKSPACE: spec.workspaceId,
      ...(files === null ? {} : { [FILES_VARIABLE]: files }),
      ...markOf({ deployment: spec.deployment, id }),
      ...(spec.portUrl === null ? {} : { VSCODE_PROXY_URI: spec.portUrl }),
    },
    cwd: home,
    hintFile: join(place.hintsDir, spec.workspaceId),
    logLimitBytes: LOG_LIMIT_BYTES,
  };
}

function withSteps(spec: LaunchSpec, unpack: boolean, ide: readonly string[]): readonly string[] {
  if (!unpack && spec.init === undefined && spec.prelude === undefined) return ide;
  return ["/bin/sh", "-c", shellSteps(spec, unpack), "sh", ...ide];
}

/** A shell on the way hands them on, by name. */
function plainVariables(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const odd = Object.keys(env).find((name) => !isVariableName(name));
  if (odd === undefined) return env;
  throw new OperationFailure("ActionFailed", `${JSON.stringify(odd)} is no name for a variable of a workspace.`);
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

/** Starts the supervisor in a session of its own and waits for its word that the program runs. */
export async function startSupervisor(
  place: Place,
  record: ContainerRecord,
  files: readonly GivenFile[],
  abort: AbortSignal,
): Promise<void> {
  const dir = join(place.runDir, record.workspaceId);
  await using errors = await open(join(dir, SUPERVISOR_ERRORS), "w", 0o600);
  const supervisor = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", SUPERVISOR, dir], {
    cwd: "/",
    // What Node made of the supervisor is kept where only the server writes; the workspace gets none of this environment.
    env: { PATH: "/usr/bin:/bin", NODE_COMPILE_CACHE: join(place.dataDir, "cache"), ...markOf(record) },
    detached: true,
    stdio: [record.takesInput === true ? "pipe" : "ignore", "ignore", errors.fd, "ipc"],
  });
  try {
    const given = supervisor.stdin === null ? null : finished(supervisor.stdin.end(filesTar(files)));
    // Nobody reads them who has ended, and that is told below.
    given?.catch(() => {});
    await started(supervisor, abort);
    await given?.catch(() => {});
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

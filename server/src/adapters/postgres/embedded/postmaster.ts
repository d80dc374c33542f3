import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, readdir, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Binaries, ENVIRONMENT } from "./binaries.ts";
import type { Place } from "./place.ts";
import { EmbeddedPostgresError, explainFailure, explainSystemError } from "./trouble.ts";

/** A running server: the process at its top, and whether we found it running instead of starting it. */
export type Postmaster = { pid: number; socketDir: string; port: number; adopted: boolean };

export type LaunchOptions = {
  /** Also listen on 127.0.0.1 at this port, with the password. Without it the server has no TCP port at all. */
  tcpPort?: number;
  /** Further server settings, for example `fsync: "off"` in tests. */
  settings?: Readonly<Record<string, string>>;
};

const SOCKET_PORT = 5432;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;
const LARGEST_LOG_BYTES = 10_000_000;

/**
 * Brings the server up, whatever was left behind: a server that survived the last program is adopted, one that is
 * starting or stopping is waited for, and a pid file whose process is dead or somebody else's is cleared away.
 */
export async function ensureRunning(place: Place, binaries: Binaries, options: LaunchOptions): Promise<Postmaster> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const found = await readPidFile(place.dataDir);
    if (found && (await isPostmasterOf(found.pid, place.dataDir))) {
      if (found.status === "ready") {
        return { pid: found.pid, socketDir: found.socketDir, port: found.port, adopted: true };
      }
    } else {
      await clearLeftovers(place, found?.pid);
      const launched = await launch(place, binaries, options, deadline);
      if (launched) {
        return launched;
      }
    }
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        "failed",
        `The embedded PostgreSQL in ${place.rootDir} was not ready after ${START_TIMEOUT_MS / 1000} s. See ${place.logFile}.`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** The server that runs in this directory, if one does. One that is starting or stopping is waited for. */
export async function findRunning(dataDir: string): Promise<Postmaster | undefined> {
  for (;;) {
    const found = await readPidFile(dataDir);
    if (!found || !(await isPostmasterOf(found.pid, dataDir))) return undefined;
    if (found.status === "ready") {
      return { pid: found.pid, socketDir: found.socketDir, port: found.port, adopted: true };
    }
    await sleep(POLL_MS);
  }
}

/**
 * Resolves when no process of a server works in this directory any more. Children of one that was killed go on for a
 * moment; a server under another uid would not notice them by itself.
 */
export async function allEnded(dataDir: string): Promise<void> {
  const works = async (pid: string): Promise<boolean> =>
    (await readlink(`/proc/${pid}/cwd`).catch(() => "")) === dataDir && (await isPostmasterOf(Number(pid), dataDir));
  for (;;) {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    if (!(await Promise.all(pids.map(works))).includes(true)) return;
    await sleep(POLL_MS);
  }
}

/** Has a server that was running already read again who may connect. */
export function reload(postmaster: Postmaster): void {
  sendSignal(postmaster.pid, "SIGHUP");
}

/** Ends the server in order (connections are cut, everything is written); insists when that takes too long. */
export async function endPostmaster(pid: number, dataDir: string): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  let signal: NodeJS.Signals = "SIGINT";
  while (await isPostmasterOf(pid, dataDir)) {
    sendSignal(pid, signal);
    signal = Date.now() > deadline ? "SIGQUIT" : "SIGINT";
    await sleep(POLL_MS);
  }
}

type PidFile = { pid: number; port: number; socketDir: string; status: string };

async function readPidFile(dataDir: string): Promise<PidFile | undefined> {
  const text = await readFile(join(dataDir, "postmaster.pid"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return "";
    }
    throw explainSystemError(error, dataDir);
  });
  const [pid, , , port, socketDir, , , status] = text.split("\n").map((line) => line.trim());
  return pid ? { pid: Number(pid), port: Number(port), socketDir: socketDir ?? "", status: status ?? "" } : undefined;
}

/**
 * After a reboot the number in the pid file may belong to any process. A postmaster is called "postgres" and its working
 * directory is its data directory; the latter is hidden from root in a container without CAP_SYS_PTRACE, so an unreadable
 * one does not count against it.
 */
export async function isPostmasterOf(pid: number, dataDir: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const [, name, state] = /^\d+ \((.*)\) (\S)/s.exec(status ?? "") ?? [];
  if (name !== "postgres" || state === "Z" || state === "X") {
    return false;
  }
  const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => dataDir);
  return workingDir === dataDir;
}

// Larger than any process number Linux gives out.
const NOBODYS_PID = 2_147_483_646;

/**
 * Only called when no postmaster of this data directory runs. A pid file whose number now belongs to another process
 * would stop the new server. The file is not removed but gets a number that no process has: its other lines let
 * PostgreSQL find children of a killed server that still write.
 */
async function clearLeftovers(place: Place, recordedPid: number | undefined): Promise<void> {
  if (recordedPid !== undefined) {
    const path = join(place.dataDir, "postmaster.pid");
    const [, ...rest] = (await readFile(path, "utf8")).split("\n");
    // The directory is PostgreSQL's, and what it puts there must not lead us elsewhere.
    await using file = await open(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
    await file.writeFile([NOBODYS_PID, ...rest].join("\n"));
  }
  for (const entry of await readdir(place.socketDir)) {
    if (entry.startsWith(".s.PGSQL.")) {
      await rm(join(place.socketDir, entry), { force: true });
    }
  }
}

/** Resolves to undefined when the last server's children still hold its memory: they end by themselves, so try again. */
async function launch(
  place: Place,
  binaries: Binaries,
  options: LaunchOptions,
  deadline: number,
): Promise<Postmaster | undefined> {
  const log = await openLog(place);
  try {
    const logStart = (await log.stat()).size;
    const identity = place.account.switchUser ? { uid: place.account.uid, gid: place.account.gid } : {};
    // Its own process group: Ctrl-C reaches us first, and the database stays up until we have drained.
    const child = spawn(binaries.postgres, serverArguments(place, options), {
      cwd: "/",
      env: ENVIRONMENT,
      stdio: ["ignore", log.fd, log.fd],
      detached: true,
      ...identity,
    });
    let failure: Error | undefined;
    let ended = false;
    child.once("error", (error) => {
      failure = error;
      ended = true;
    });
    child.once("exit", () => {
      ended = true;
    });
    child.unref();
    while (!ended && Date.now() < deadline) {
      const found = await readPidFile(place.dataDir);
      if (found?.pid === child.pid && found?.status === "ready") {
        return { pid: found.pid, socketDir: found.socketDir, port: found.port, adopted: false };
      }
      await sleep(POLL_MS);
    }
    const output = (await readFile(place.logFile, "utf8")).slice(logStart);
    if (/pre-existing shared memory block|lock file "postmaster\.pid" already exists/.test(output)) {
      return undefined;
    }
    child.kill("SIGQUIT");
    throw failure ? explainSystemError(failure, place.rootDir) : explainFailure(output, place.rootDir);
  } finally {
    await log.close();
  }
}

async function openLog(place: Place): Promise<Awaited<ReturnType<typeof open>>> {
  try {
    const size = (await stat(place.logFile).catch(() => undefined))?.size ?? 0;
    if (size > LARGEST_LOG_BYTES) {
      await rename(place.logFile, `${place.logFile}.1`);
    }
    return await open(place.logFile, "a", 0o600);
  } catch (error) {
    throw explainSystemError(error, `${place.rootDir}/${basename(place.logFile)}`);
  }
}

function serverArguments(place: Place, options: LaunchOptions): string[] {
  const settings: Record<string, string> = {
    unix_socket_directories: place.socketDir,
    unix_socket_permissions: "0700",
    listen_addresses: options.tcpPort === undefined ? "" : "127.0.0.1",
    port: String(options.tcpPort ?? SOCKET_PORT),
    timezone: "UTC",
    log_timezone: "UTC",
    ...options.settings,
  };
  return ["-D", place.dataDir, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { IdeInstall } from "#adapters/process/ide-install.ts";
import { cacheDir } from "../runtime/cache-dir.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** What `npm start` runs, built. */
export const SUPERVISOR = join(ROOT, "server/dist/supervise-main.js");
const READY = /CodeHub is (?:ready|up, and something is broken):\s+(\S+)/;

export const admin = { username: "mina", password: "a long enough sentence" } as const;

export interface Program {
  readonly url: string;
  readonly dataDir: string;
  /** What it has printed since it was started. */
  readonly said: () => string;
  /** As a crash of all its processes would: nothing is said to anybody. Workspaces go on. */
  readonly crash: () => Promise<void>;
  /** As a crash of what serves the dashboard and leads: the proxy goes on, and what ended is started again. */
  readonly crashServer: () => Promise<void>;
  /** The process that has this role now. */
  readonly pidOf: (role: string) => Promise<number>;
  /** Sends a signal to what keeps the others running. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** The same program on the same port and data directory. */
  readonly start: () => Promise<void>;
  /** In order. Workspaces go on. */
  readonly stopAndStart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * CodeHub as `npm start` runs it, in a process, a port and a data directory of its own, with the real IDE, which is
 * installed once for the machine and shared.
 */
export async function startProgram(
  environment: Readonly<Record<string, string>> = {},
  /** Another IDE than the real one, put where that would be. */
  place: (dataDir: string) => Promise<void> = placeIde,
): Promise<Program> {
  build();
  const dataDir = await mkdtemp(join(tmpdir(), "codehub-e2e-"));
  await chmod(dataDir, 0o711);
  await place(dataDir);
  let port = "0";
  let child: ChildProcess | null = null;
  let url = "";
  const said: string[] = [];

  const start = async () => {
    const started = spawn(process.execPath, [SUPERVISOR], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: join(dataDir, "compiled"),
        PORT: port,
        DATA_DIR: dataDir,
        RUNTIME: "process",
        ADMIN_USERNAME: admin.username,
        ADMIN_PASSWORD: admin.password,
        LOG_LEVEL: "warn",
        ...environment,
      },
    });
    child = started;
    said.length = 0;
    url = await readyUrl(started, said);
    ({ port } = new URL(url));
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    child = null;
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = once(ending, "exit");
    ending.kill(signal);
    await gone;
  };
  const pidOf = async (role: string): Promise<number> => {
    const found = (await programsOf(child?.pid)).find(({ roles }) => roles.includes(role));
    if (found === undefined) throw new Error(`no process has the role ${role}`);
    return found.pid;
  };
  try {
    await start();
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
  return {
    get url() {
      return url;
    },
    dataDir,
    said: () => said.join("\n"),
    crash: async () => {
      const programs = await programsOf(child?.pid);
      const gone = end("SIGKILL");
      for (const { pid } of programs) process.kill(pid, "SIGKILL");
      await gone;
    },
    crashServer: async () => void process.kill(await pidOf("api"), "SIGKILL"),
    pidOf,
    signal: (signal) => void child?.kill(signal),
    start,
    stopAndStart: async () => {
      await end("SIGTERM");
      await start();
    },
    stop: async () => {
      await end("SIGTERM");
      await endWorkspaces(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The real IDE, which is installed once for the machine and shared. */
export async function placeIde(dataDir: string): Promise<void> {
  const ideDir = await cacheDir("ide");
  await new IdeInstall(ideDir).ensure(() => {}, new AbortController().signal);
  await symlink(ideDir, join(dataDir, "ide"));
}

let isBuilt = false;

/** What runs is what the sources are, also where nobody has built it since they changed. */
export function build(): void {
  if (isBuilt) return;
  const env = { ...process.env, BUILD: "server", PATH: `${join(ROOT, "node_modules/.bin")}:${process.env["PATH"]}` };
  execFileSync("bash", ["-c", "set -euo pipefail; . scripts/build.sh"], { cwd: ROOT, env, stdio: "inherit" });
  isBuilt = true;
}

/** What a supervisor keeps running, told by their roles. The database, which it has started too, has none. */
export async function programsOf(supervisor = 0): Promise<{ readonly pid: number; readonly roles: string }[]> {
  const children = await readFile(`/proc/${supervisor}/task/${supervisor}/children`, "utf8");
  const programs = children.split(" ").filter(Boolean).map(Number);
  const told = await Promise.all(
    programs.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return { pid, roles: /(?:^|\0)ROLES=([^\0]*)/.exec(environment)?.[1] ?? "" };
    }),
  );
  return told.filter(({ roles }) => roles !== "");
}

/** Workspaces outlive the server, as they should; those of a test are found by the data directory they were given. */
export async function endWorkspaces(dataDir: string): Promise<void> {
  const mentions = async (pid: string, file: string) =>
    (await readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")).includes(dataDir);
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    if (!(await mentions(pid, "cmdline")) && !(await mentions(pid, "environ"))) continue;
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended between being found and being asked to.
    }
  }
}

/** What the program says until it is ready is kept, because it is all there is to see when it never is. */
export const readyUrl = (child: ChildProcess, said: string[] = []): Promise<string> =>
  new Promise((found, failed) => {
    const listen = (stream: NodeJS.ReadableStream | null) => {
      if (stream === null) return;
      createInterface({ input: stream }).on("line", (line) => {
        said.push(line);
        const match = READY.exec(line);
        if (match?.[1] !== undefined) found(match[1]);
      });
    };
    listen(child.stdout);
    listen(child.stderr);
    child.once("exit", (code) =>
      failed(new Error(`CodeHub ended with ${code} before it was ready:\n${said.join("\n")}`)),
    );
  });

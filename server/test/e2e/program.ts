import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { IdeInstall } from "#adapters/process/ide-install.ts";
import { FRUGAL_FLAGS, frugal } from "#supervise/frugal.ts";
import { cacheDir } from "../runtime/cache-dir.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const READY = /CodeHub is ready:\s+(\S+)/;

export const admin = { username: "mina", password: "a long enough sentence" } as const;

export interface Program {
  readonly url: string;
  readonly dataDir: string;
  /** Of the process as it runs now. */
  readonly pid: number;
  /** As a crash would: nothing is said to anybody. Workspaces go on. */
  readonly crash: () => Promise<void>;
  /** The same program on the same port and data directory. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * CodeHub as `npm start` runs it, in a process, a port and a data directory of its own, with the real IDE, which is
 * installed once for the machine and shared.
 */
export async function startProgram(environment: Readonly<Record<string, string>> = {}): Promise<Program> {
  const dataDir = await mkdtemp(join(tmpdir(), "codehub-e2e-"));
  await chmod(dataDir, 0o711);
  const ideDir = await cacheDir("ide");
  await new IdeInstall(ideDir).ensure(() => {}, new AbortController().signal);
  await symlink(ideDir, join(dataDir, "ide"));
  let port = "0";
  let child: ChildProcess | null = null;
  let url = "";

  const start = async () => {
    const started = spawn(process.execPath, [...FRUGAL_FLAGS, join(ROOT, "server/src/main.ts")], {
      stdio: ["ignore", "pipe", "pipe"],
      env: frugal({
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: join(dataDir, "compiled"),
        PORT: port,
        DATA_DIR: dataDir,
        RUNTIME: "process",
        ADMIN_USERNAME: admin.username,
        ADMIN_PASSWORD: admin.password,
        LOG_LEVEL: "warn",
        ...environment,
      }),
    });
    child = started;
    url = await readyUrl(started);
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
    get pid() {
      return child?.pid ?? 0;
    },
    crash: () => end("SIGKILL"),
    start,
    stop: async () => {
      await end("SIGTERM");
      await endWorkspaces(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
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
const readyUrl = (child: ChildProcess): Promise<string> =>
  new Promise((found, failed) => {
    const said: string[] = [];
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

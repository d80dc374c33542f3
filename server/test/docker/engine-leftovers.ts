import { execFile } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { identify, isAlive, type ProcessIdentity, signal } from "#adapters/process/proc.ts";

const run = promisify(execFile);
/** A killed process is gone in milliseconds unless the kernel waits for a disk. */
const GONE_LIMIT_MS = 30_000;

/** The programs an engine consists of; a person who reads its log is none. */
const ENGINE = /(^|\/)(dockerd|containerd|containerd-shim-runc-v2)$/;

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly args: readonly string[];
}

/**
 * Ends what a killed run left of its engine: each part that names its data root or its run directory on the command line,
 * and what that has started, containers included. Only who holds the data root's lock may ask for it: nobody else uses it then.
 */
export async function endLeftovers(dataRoot: string, runDir: string | null): Promise<void> {
  const all = await processes();
  const parts = all.filter(({ args }) => ENGINE.test(args[0] ?? ""));
  const engines = parts.filter(({ args }) => args[args.indexOf("--data-root") + 1] === dataRoot);
  const runDirs = new Set([...engines.flatMap(runDirOf), ...(runDir === null ? [] : [runDir])]);
  const names = ({ args }: Running) => args.some((arg) => [...runDirs].some((dir) => arg.includes(`${dir}/`)));
  const left = withDescendants(all, new Set([...engines, ...parts.filter(names)].map(({ pid }) => pid)));
  const identities = (await Promise.all([...left].map(identify))).filter((found) => found !== null);
  if (identities.length > 0) console.error(`Ending what a killed test run left of its engine: ${[...left].join(", ")}`);
  for (const identity of identities) await signal(identity, "SIGKILL");
  await allGone(identities);
  for (const dir of [dataRoot, ...runDirs]) await unmountBelow(dir);
  for (const dir of runDirs) await rm(dir, { recursive: true, force: true });
}

function runDirOf({ args }: Running): string[] {
  const execRoot = args[args.indexOf("--exec-root") + 1];
  return execRoot?.endsWith("/exec") === true ? [execRoot.slice(0, -"/exec".length)] : [];
}

function withDescendants(all: readonly Running[], pids: ReadonlySet<number>): ReadonlySet<number> {
  const children = all.filter(({ pid, parent }) => pids.has(parent) && !pids.has(pid));
  return children.length === 0 ? pids : withDescendants(all, new Set([...pids, ...children.map(({ pid }) => pid)]));
}

async function processes(): Promise<Running[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const read = async (pid: number): Promise<Running> => {
    const args = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    return { pid, args, parent: Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? 0) };
  };
  return (await Promise.all(pids.map(read))).filter(({ pid }) => pid !== process.pid);
}

async function allGone(identities: readonly ProcessIdentity[]): Promise<void> {
  const deadline = performance.now() + GONE_LIMIT_MS;
  for (const identity of identities) {
    while (await isAlive(identity)) {
      if (performance.now() > deadline)
        throw new Error(`Process ${identity.pid}, left by a killed test run, does not end: kill -9 ${identity.pid}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Containers' file systems and the network that they shared stay mounted when nobody ends them in order. */
async function unmountBelow(dir: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "");
  for (const place of mounts.filter((mount) => mount.startsWith(`${dir}/`)).reverse()) {
    await run("umount", ["-l", place]);
  }
}

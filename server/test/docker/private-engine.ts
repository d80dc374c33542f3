import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { link, mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Engine } from "#adapters/docker/engine.ts";
import { DEPLOYMENT } from "#adapters/docker/labels.ts";
import { identify, isAlive, type ProcessIdentity } from "#adapters/process/proc.ts";
import { readJson } from "#adapters/process/record.ts";
import { cacheDir } from "../runtime/cache-dir.ts";
import { diesWithUs } from "../suites/dies-with-us.ts";
import { freeze } from "../suites/freeze.ts";
import { endLeftovers } from "./engine-leftovers.ts";

const run = promisify(execFile);
const MAKE_IMAGES = fileURLToPath(new URL("../../../scripts/test/make-images.sh", import.meta.url));

const LEFTOVERS = [
  [
    ["ps", "-aq"],
    ["rm", "-f"],
  ],
  [
    ["volume", "ls", "-q"],
    ["volume", "rm", "-f"],
  ],
] as const;

/** A Docker engine of the test's own, which it may stop, freeze and kill. */
export interface PrivateEngine extends AsyncDisposable {
  readonly host: string;
  readonly pid: () => number;
  /** Freezes and thaws it: it then takes connections and says nothing. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

export function dockerAvailable(): boolean {
  const missing = ["dockerd", "docker", "nft"].filter((tool) => spawnSync(tool, ["--version"]).status !== 0);
  const why = process.getuid?.() === 0 ? `${missing.join(", ")} missing` : "not root";
  const available = missing.length === 0 && process.getuid?.() === 0;
  if (!available && process.env["CI"] !== undefined)
    throw new Error(`CI needs Docker (${why}): apt-get install docker.io nftables`);
  if (!available)
    console.error(`What needs Docker is skipped (${why}). Enable it as root with apt-get install docker.io nftables.`);
  return available;
}

interface DataRoot {
  readonly path: string;
  readonly release: () => Promise<void>;
}

/**
 * Data roots are kept between runs, because images take long to make, and are used by one engine at a time. One whose run was
 * killed is free again: whoever takes it ends that run's engine first, and leaves a note where its own can be found.
 */
async function takeDataRoot(runDir: string): Promise<DataRoot> {
  const base = await cacheDir("engines");
  const me = await identify(process.pid);
  for (let slot = 0; ; slot++) {
    const [path, lock, note] = [join(base, String(slot)), join(base, `${slot}.lock`), join(base, `${slot}.run`)];
    await mkdir(path, { recursive: true });
    const holder = await readJson<ProcessIdentity>(lock).catch(() => null);
    if (holder !== null && (await isAlive(holder))) continue;
    await rm(lock, { force: true });
    if (!(await create(lock, JSON.stringify(me)))) continue;
    await endLeftovers(path, await readFile(note, "utf8").catch(() => null));
    await writeFile(note, runDir);
    const release = async () => {
      await rm(note, { force: true });
      await rm(lock, { force: true });
    };
    return { path, release };
  }
}

/** Makes a file with its content at once; false when there is one already. */
async function create(path: string, content: string): Promise<boolean> {
  const whole = `${path}.${process.pid}`;
  await writeFile(whole, content);
  const made = await link(whole, path).then(
    () => true,
    () => false,
  );
  await rm(whole);
  return made;
}

export async function startEngine(
  images: "fake" | "ide" | "all" = "fake",
  moreArgs: readonly string[] = [],
  /** A command that runs the one that follows it, as `unshare` does. */
  through: readonly string[] = [],
): Promise<PrivateEngine> {
  const dir = await mkdtemp(join(tmpdir(), "chd-"));
  const dataRoot = await takeDataRoot(dir);
  const host = `unix://${dir}/docker.sock`;
  let child: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const log = await open(join(dir, "dockerd.log"), "a");
    const args = [
      "--data-root",
      dataRoot.path,
      "--exec-root",
      join(dir, "exec"),
      "-H",
      host,
      "--pidfile",
      join(dir, "pid"),
    ];
    // Without the default bridge: nothing of ours uses it, and it would be shared with an engine of the machine.
    const [first = "", ...rest] = [...through, "dockerd", ...args, "--bridge", "none", ...moreArgs];
    const [program, all] = diesWithUs(first, rest);
    child = spawn(program, all, { stdio: ["ignore", log.fd, log.fd] });
    await log.close();
    const engine = new Engine({ host, timeoutMs: 2_000 });
    for (const deadline = performance.now() + 60_000; ; ) {
      const up = await engine.call("GET", "/info").catch(() => null);
      if (up !== null) return;
      if (child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`dockerd did not start: ${(await readFile(join(dir, "dockerd.log"), "utf8")).slice(-2_000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const stop = async (): Promise<void> => {
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await exited;
  };
  const docker = (args: readonly string[]) => run("docker", args, { env: { ...process.env, DOCKER_HOST: host } });

  const prepare = async (): Promise<void> => {
    await start();
    // What a killed run left behind.
    for (const [list, remove] of LEFTOVERS) {
      const { stdout } = await docker(list);
      if (stdout.trim() !== "") await docker([...remove, ...stdout.trim().split("\n")]);
    }
    await docker(["network", "prune", "-f"]);
    const env = { ...process.env, DOCKER_HOST: host, NODE: process.execPath, IDE_DIR: await cacheDir("ide") };
    await run("bash", [MAKE_IMAGES, images], { env, maxBuffer: 1024 * 1024 });
  };
  /** The rules of every deployment that has made a network here. */
  const removeTables = async (): Promise<void> => {
    const { stdout } = await docker(["network", "ls", "--format", `{{.Label "${DEPLOYMENT}"}}`]);
    for (const id of new Set(stdout.split("\n").filter((line) => line !== "")))
      await run("nft", ["delete", "table", "inet", `codehub-${id}`]).catch(() => null);
  };
  const dispose = async (): Promise<void> => {
    const { stdout } = await docker(["ps", "-aq"]).catch(() => ({ stdout: "" }));
    if (stdout.trim() !== "") await docker(["rm", "-f", ...stdout.trim().split("\n")]).catch(() => null);
    await removeTables().catch(() => null);
    await docker(["network", "prune", "-f"]).catch(() => null);
    await stop();
    // The engine leaves the host's network mounted there when a container used it.
    await run("umount", ["-l", join(dir, "exec/netns/default")]).catch(() => null);
    await rm(dir, { recursive: true, force: true });
    await dataRoot.release();
  };
  await prepare().catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  return {
    host,
    pid: () => child?.pid ?? 0,
    freeze: () => freeze(child?.pid),
    thaw: () => void child?.kill("SIGCONT"),
    start,
    stop,
    [Symbol.asyncDispose]: dispose,
  };
}

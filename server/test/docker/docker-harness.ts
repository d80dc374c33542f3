import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Engine } from "#adapters/docker/engine.ts";
import { JobSockets } from "#adapters/docker/job-sockets.ts";
import { DockerJobLauncher } from "#adapters/docker/jobs.ts";
import { removeIdleNetworks } from "#adapters/docker/network.ts";
import { DockerRuntime, type DockerRuntimeOptions } from "#adapters/docker/runtime.ts";
import { VolumeFolders } from "#adapters/docker/volume-folders.ts";
import { DockerVolumes } from "#adapters/docker/volumes.ts";
import { volumeName } from "#core/rows/names.ts";
import { ask, runInside } from "../runtime/ask.ts";
import type { RuntimeHarness } from "../suites/runtime-suite.ts";
import { filesWith, processesWith } from "../suites/traces.ts";

export const JOB_IMAGE = "codehub-test/job:latest";
export const FAKE_IMAGE = "codehub-test/fake:latest";
export const IDE_IMAGE = "codehub-test/ide:latest";

const run = promisify(execFile);
const MEBIBYTE = 1024 * 1024;

export interface DockerHarness extends RuntimeHarness {
  readonly runtime: DockerRuntime;
  readonly volumes: DockerVolumes;
  readonly launcher: DockerJobLauncher;
  readonly engine: Engine;
  readonly deploymentId: string;
}

export interface DockerHarnessOptions extends Partial<DockerRuntimeOptions> {
  /** How bytes of storage jobs travel: through sockets as on every engine of this machine, or the engine's streams. */
  readonly channel?: "socket" | "streams";
  /** Whether empty homes and identities are made where the engine keeps volumes, as on every engine of this machine. */
  readonly folders?: boolean;
  /** Where its sockets are; a folder of its own unless told. */
  readonly scratch?: string;
}

/** Everything of the Docker adapter on one engine, as one deployment. */
export async function dockerHarness(
  host: string,
  { channel = "socket", folders = true, scratch: given, ...change }: DockerHarnessOptions = {},
): Promise<DockerHarness> {
  const deploymentId = change.deploymentId ?? randomUUID();
  const engine = new Engine({ host, timeoutMs: 5_000 });
  const common = { engine, deploymentId, jobImage: JOB_IMAGE };
  const scratch = given ?? (await mkdtemp(join(tmpdir(), "chjobs-")));
  const sockets = channel === "socket" ? new JobSockets(join(scratch, "jobs")) : null;
  const launcher = new DockerJobLauncher({ ...common, sockets });
  const volumes = new DockerVolumes({
    ...common,
    jobs: launcher,
    ...(folders ? { folders: new VolumeFolders(engine, deploymentId) } : {}),
  });
  const options: DockerRuntimeOptions = {
    ...common,
    volumes,
    hostPorts: { from: 20_000, to: 52_000 },
    limits: { cpus: 1, memoryBytes: 512 * MEBIBYTE, pids: 256 },
    imageAllowlist: ["codehub-test/*"],
    reach: { allowed: [], controlPlane: async () => [] },
    ...change,
  };
  const runtime = new DockerRuntime(options);
  return {
    runtime,
    volumes,
    launcher,
    engine,
    deploymentId,
    imageRef: FAKE_IMAGE,
    restarted: async () => new DockerRuntime(options),
    stranger: async () => new DockerRuntime({ ...options, deploymentId: randomUUID() }),
    makeVolume: async (workspaceId, attempt, sealed = true) => {
      const name = volumeName(workspaceId, attempt);
      if (!(await volumes.create({ name, workspaceId, attempt }))) throw new Error(`${name} exists`);
      if (sealed) await volumes.seal(name, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
      return name;
    },
    volumeExists: async (name) => (await engine.call("GET", `/volumes/${name}`)) !== null,
    hostPort: freePort,
    exit: async (container, code) => {
      await ask(container, "/exit", { code: String(code) }).catch(() => undefined);
    },
    ignoreStop: async (container) => {
      await ask(container, "/ignore-stop");
    },
    exhaust: async (container) => {
      await ask(container, "/exhaust");
    },
    say: async (container, command) => (await runInside(container, command)).text,
    print: async (container, lines) => {
      await ask(container, "/print", { lines: String(lines) });
    },
    listen: async (container, host) => Number(await ask(container, "/listen", host === undefined ? {} : { host })),
    program: "node fake-ide.mjs",
    quiet: async (container) => {
      await ask(container, "/quiet");
    },
    traces: async ({ id }, text) => {
      const { DockerRootDir } = await engine.need<{ DockerRootDir: string }>("GET", "/info");
      const told = JSON.stringify(await engine.need("GET", `/containers/${id}/json`)) + (await runtime.logs(id, 1_000));
      const found = [...filesWith(join(DockerRootDir, "containers"), text), ...processesWith(text)];
      return told.includes(text) ? [...found, "told by the engine"] : found;
    },
    close: async () => {
      for (const container of await runtime.list()) await runtime.remove(container.id, 0);
      for (const volume of await volumes.list()) {
        await launcher.end(volume.workspaceId);
        await volumes.remove(volume.name);
      }
      await removeIdleNetworks(engine, deploymentId);
      // Not where the engine is in a network of its own.
      await run("nft", ["delete", "table", "inet", `codehub-${deploymentId}`]).catch(() => null);
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** A port in the range that nobody listens on. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const free = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (free) return port;
  }
}

import { createHash, randomUUID } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { reachableNode } from "#adapters/process/ide-install.ts";
import { createProcessRuntime, type ProcessRuntimeOptions } from "#adapters/process/runtime.ts";
import { volumeName } from "#core/rows/names.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { VolumeIdentity, Volumes } from "#ports/volumes.ts";
import type { RuntimeHarness } from "../suites/runtime-suite.ts";
import { filesWith, processesWith } from "../suites/traces.ts";
import { ask, runInside } from "./ask.ts";

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Just enough of volumes to start on: directories in the layout that the port describes. */
export const directories = (dataDir: string): Pick<Volumes, "inspect" | "identity"> => ({
  inspect: async (name) =>
    (await exists(join(dataDir, "volumes", name))) ? { name, workspaceId: "", attempt: "" } : null,
  identity: async (name) => {
    const path = join(dataDir, "volumes", name, ".codehub/volume-id");
    return (await exists(path)) ? (JSON.parse(await readFile(path, "utf8")) as VolumeIdentity) : null;
  },
});

export interface ProcessHarness extends RuntimeHarness {
  readonly dataDir: string;
  readonly make: (change?: Partial<ProcessRuntimeOptions>) => Promise<Runtime>;
}

/** A process runtime in a directory of its own. Unless told otherwise its IDE is the fake one, which starts at once. */
export async function processHarness(
  change: Partial<ProcessRuntimeOptions> = {},
  directoryName = "ch",
): Promise<ProcessHarness> {
  const dataDir = await mkdtemp(join(tmpdir(), `${directoryName}-`));
  await chmod(dataDir, 0o711);
  const program = join(dataDir, "fake-ide.mjs");
  await copyFile(new URL("./fake-ide.mjs", import.meta.url), program);
  await chmod(program, 0o644);
  const node = await reachableNode(dataDir);
  const options: ProcessRuntimeOptions = {
    dataDir,
    deploymentId: randomUUID(),
    volumes: directories(dataDir),
    ide: { command: ({ socket }) => [node, program, socket] },
    ...change,
  };
  const make = (other: Partial<ProcessRuntimeOptions> = {}) => createProcessRuntime({ ...options, ...other });
  const runtime = await make();
  return {
    dataDir,
    make,
    runtime,
    imageRef: "codehub/code-server",
    restarted: () => make(),
    stranger: () => make({ deploymentId: randomUUID() }),
    makeVolume: async (workspaceId, attempt, sealed = true) => {
      const name = volumeName(workspaceId, attempt);
      const dir = join(dataDir, "volumes", name);
      await mkdir(join(dir, "home"), { recursive: true });
      await mkdir(join(dir, ".codehub"), { mode: 0o700 });
      const identity: VolumeIdentity = { workspaceId, attempt, archiveKey: null, manifestDigest: null };
      if (sealed) await writeFile(join(dir, ".codehub/volume-id"), JSON.stringify(identity), { mode: 0o600 });
      return name;
    },
    volumeExists: (name) => exists(join(dataDir, "volumes", name, "home")),
    hostPort: async () => null,
    exit: async (container, code) => {
      await ask(container, "/exit", { code: String(code) }).catch(() => undefined);
    },
    ignoreStop: async (container) => {
      await ask(container, "/ignore-stop");
    },
    say: async (container, command) => (await runInside(container, command)).text,
    print: async (container, lines) => {
      await ask(container, "/print", { lines: String(lines) });
    },
    listen: async (container, host) => Number(await ask(container, "/listen", host === undefined ? {} : { host })),
    // Where accounts of workspaces cannot reach this one, it is a copy with another name.
    program: `${basename(node)} fake-ide.mjs`,
    quiet: async (container) => {
      await ask(container, "/quiet");
    },
    traces: async (_, text) => [...filesWith(dataDir, text), ...processesWith(text)],
    close: async () => {
      for (const container of await runtime.list()) await runtime.remove(container.id, 0);
      await rm(dataDir, { recursive: true, force: true });
      const name = `codehub-${createHash("sha256").update(dataDir).digest("hex").slice(0, 8)}`;
      await rm(join("/dev/shm", name), { recursive: true, force: true });
    },
  };
}

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StartSpec } from "#ports/runtime.ts";

/** A server in a process of its own, behind these words where there are any, that starts a workspace and then waits to be killed. */
export async function serverProcess(
  dataDir: string,
  spec: StartSpec,
  within: readonly string[] = [],
): Promise<{ child: ChildProcess; containerId: string; deploymentId: string }> {
  const deploymentId = randomUUID();
  const program = fileURLToPath(new URL("./server-process-main.ts", import.meta.url));
  const args = [program, JSON.stringify({ dataDir, deploymentId, ide: join(dataDir, "fake-ide.mjs"), spec })];
  const [file = "", ...rest] = [...within, process.execPath, ...args];
  const child = spawn(file, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [containerId] = (await once(child, "message")) as [string];
  return { child, containerId, deploymentId };
}

import { randomUUID } from "node:crypto";
import { chown, mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { removeContainer } from "#adapters/docker/containers.ts";
import { Engine } from "#adapters/docker/engine.ts";
import { ensureNetwork } from "#adapters/docker/network.ts";
import { IDE_PORT, WORKSPACE_UID, workspaceContainer } from "#adapters/docker/workspace-container.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { IDE_IMAGE } from "../../test/docker/docker-harness.ts";

const LIMITS = { cpus: 2, memoryBytes: 4 * 2 ** 30, pids: 2048 };
const FIRST_PORT = 31_000;

/** The same workspaces made by hand, two for each core at once: a volume, a network and a container that answers. In seconds. */
export async function startRaw(host: string, count: number): Promise<number> {
  const engine = new Engine({ host });
  const deploymentId = randomUUID();
  const made: Made[] = [];
  const ports = Array.from({ length: count }, (_, index) => FIRST_PORT + index);
  const begun = performance.now();
  const worker = async () => {
    for (let port = ports.shift(); port !== undefined; port = ports.shift())
      made.push(await startOne(engine, deploymentId, port));
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, worker));
  const seconds = (performance.now() - begun) / 1_000;
  for (const { container, network } of made) {
    await removeContainer(engine, container);
    await engine.need("DELETE", `/networks/${network}`);
  }
  return seconds;
}

interface Made {
  readonly container: string;
  readonly network: string;
}

async function startOne(engine: Engine, deploymentId: string, hostPort: number): Promise<Made> {
  const volume = `raw-${randomUUID()}`;
  const { Mountpoint: mountpoint } = await engine.need<{ Mountpoint: string }>("POST", "/volumes/create", {
    body: { Name: volume },
  });
  const home = join(mountpoint, "home");
  await mkdir(home);
  await chown(home, WORKSPACE_UID, WORKSPACE_UID);
  const network = await ensureNetwork(engine, deploymentId, hostPort, hostPort - FIRST_PORT + 2_000);
  const spec = { workspaceId: randomUUID(), attempt: randomUUID(), volume, imageRef: IDE_IMAGE, hostPort, ownerId: "" };
  const place = { deploymentId, network, mountpoint, publishedPort: null };
  const { HostConfig, ...rest } = workspaceContainer(spec, place, LIMITS, null);
  // By hand nobody stands behind the others while he starts.
  const body = { ...rest, HostConfig: { ...HostConfig, CpuShares: 0 } };
  const { Id } = await engine.need<{ Id: string }>("POST", "/containers/create", { body });
  await engine.need("POST", `/containers/${Id}/start`, { timeoutMs: 60_000 });
  while (!(await answersHealthz({ kind: "tcp", host: network.host, port: IDE_PORT }))) await delay(10);
  return { container: Id, network: network.name };
}

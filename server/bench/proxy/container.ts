import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { dockerHarness, FAKE_IMAGE } from "../../test/docker/docker-harness.ts";
import { startEngine } from "../../test/docker/private-engine.ts";
import type { TcpAddress } from "./peers.ts";

const IMAGE = "codehub-test/bench-backend:latest";

/** The bench's backend as a workspace on a Docker engine of its own, started as the server starts one. */
export async function startContainer(directory: string): Promise<{ address: TcpAddress; close: () => Promise<void> }> {
  const engine = await startEngine();
  try {
    await buildImage(engine.host, join(directory, "image"));
    const limits = { cpus: 2, memoryBytes: 2 ** 30, pids: 256 };
    const harness = await dockerHarness(engine.host, { limits });
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    const spec = { workspaceId, attempt, volume, imageRef: IMAGE, ownerId: randomUUID() };
    const started = { ...spec, hostPort: await harness.hostPort() };
    const { address } = await harness.runtime.start(started, new AbortController().signal);
    if (address.kind !== "tcp") throw new Error("a container listens on TCP");
    for (let tries = 1; !(await harness.runtime.answers(address)); tries++) {
      if (tries === 300) throw new Error("the container does not answer");
      await sleep(100);
    }
    const close = async (): Promise<void> => {
      await harness.close();
      await engine[Symbol.asyncDispose]();
    };
    return { address, close };
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
}

async function buildImage(host: string, context: string): Promise<void> {
  await mkdir(context);
  await copyFile(join(import.meta.dirname, "backend.ts"), join(context, "backend.ts"));
  const lines = [`FROM ${FAKE_IMAGE}`, "COPY backend.ts /backend.ts", 'CMD ["node", "/backend.ts", "0.0.0.0", "8080"]'];
  await writeFile(join(context, "Dockerfile"), lines.join("\n"));
  const env = { ...process.env, DOCKER_HOST: host, DOCKER_BUILDKIT: "0", DOCKER_CONFIG: context };
  await promisify(execFile)("docker", ["build", "-q", "-t", IMAGE, context], { env });
}

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { inspectContainer } from "#adapters/docker/containers.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import { processDataPlane } from "../data/process-harness.ts";
import { ask, runInside } from "../runtime/ask.ts";
import { unpackProgram } from "../upgrade/old-data.ts";
import { type DockerHarness, dockerHarness, FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";
import { startWorkspace } from "./start-workspace.ts";

const run = promisify(execFile);
const host = inject("dockerHost");
const SOON = { timeout: 60_000, interval: 50 };

describe.skipIf(host === null)("a container started by 0.1.0", () => {
  let program: string;
  let today: DockerHarness;
  let container: ContainerSeen;
  let hostPort: number | null;
  const [workspaceId, attempt, madeBy] = [randomUUID(), randomUUID(), randomUUID()];
  const volume = volumeName(workspaceId, madeBy);

  beforeAll(async () => {
    program = await unpackProgram();
    today = await dockerHarness(host ?? "");
    hostPort = await today.hostPort();
    const spec = { workspaceId, attempt, madeBy, volume, imageRef: FAKE_IMAGE, hostPort, ownerId: randomUUID() };
    const { deploymentId } = today;
    const json = JSON.stringify({ host, deploymentId, jobImage: JOB_IMAGE, spec });
    const { stdout } = await run(process.execPath, [
      join(import.meta.dirname, "../upgrade/old-containers.ts"),
      ...[program, json],
    ]);
    const address = { kind: "tcp", host: "127.0.0.1", port: Number(hostPort) } as const;
    const id = stdout.trim();
    container = { id, workspaceId, volume, attempt, state: "running", address, exitCode: null };
  });
  afterAll(async () => {
    await today?.close();
    await rm(program, { recursive: true, force: true });
  });
  const processNow = async () => (await inspectContainer(today.engine, container.id))?.State;

  it("is found as what it is, goes on running and answers", async () => {
    const before = await processNow();
    const { address } = container;
    if (address === null) throw new Error("it has no address");
    expect(await today.runtime.inspect(workspaceId)).toEqual([container]);
    expect(await today.runtime.list()).toEqual([container]);
    await vi.waitFor(async () => expect(await today.runtime.answers(address)).toBe(true), SOON);
    expect(await processNow()).toEqual(before);
    await ask(container, "/print", { lines: "2" });
    await vi.waitFor(async () => expect(await today.runtime.logs(container.id, 1)).toContain("line 2"), SOON);
    const port = Number(await ask(container, "/listen"));
    expect(await today.runtime.portAddress(container.id, port)).not.toBeNull();
  });

  it("stands on a volume that is known, is archived when it was stopped, and only then goes", async () => {
    await runInside(container, "echo kept > ~/kept");
    expect(await today.volumes.list()).toMatchObject([{ name: volume, workspaceId, attempt: madeBy }]);
    expect(await today.volumes.identity(volume)).toMatchObject({ workspaceId, attempt: madeBy });
    await expect(today.volumes.remove(volume)).rejects.toThrow();
    await today.runtime.remove(container.id, 5);
    expect(await today.runtime.list()).toEqual([]);
    // Started again it is reached as every container of today, in the network that it had before.
    const again = await startWorkspace(today, { workspaceId, volume, hostPort });
    expect(again.address).toMatchObject({ kind: "tcp", host: expect.stringMatching(/^198\.1[89]\./), port: 8080 });
    expect((await runInside(again, "cat ~/kept")).text).toBe("kept\n");
    await today.runtime.remove(again.id, 5);
    const plane = await processDataPlane({});
    try {
      const jobs = new StorageJobRunner({ store: plane.store, launcher: today.launcher, clock, ids });
      const key = archiveKey(workspaceId, attempt);
      const options = { onProgress: () => {}, signal: new AbortController().signal };
      const facts = await jobs.archive({ workspaceId, attempt, volume, key }, options);
      expect(facts.contentBytes).toBe("kept\n".length);
    } finally {
      await plane.close();
    }
  });
});

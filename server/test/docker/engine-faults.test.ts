import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { Engine } from "#adapters/docker/engine.ts";
import { converse } from "#jobs/job-conversation.ts";
import { ask } from "../runtime/ask.ts";
import { type DockerHarness, dockerHarness, FAKE_IMAGE } from "./docker-harness.ts";
import { type PrivateEngine, startEngine } from "./private-engine.ts";
import { startWorkspace } from "./start-workspace.ts";

const run = promisify(execFile);
const never = new AbortController().signal;
const SOON = { timeout: 30_000, interval: 50 };

describe.skipIf(inject("dockerHost") === null)("an engine that fails", () => {
  let engine: PrivateEngine;
  let harness: DockerHarness;
  beforeAll(async () => {
    engine = await startEngine();
    harness = await dockerHarness(engine.host);
  });
  afterEach(() => engine.thaw());
  afterAll(async () => {
    await harness?.close();
    await engine?.[Symbol.asyncDispose]();
  });

  it("hangs: every question is answered by a rejection in bounded time, never by an empty list", async () => {
    const container = await startWorkspace(harness);
    const impatient = await dockerHarness(engine.host, { deploymentId: harness.deploymentId });
    const { runtime, volumes, launcher } = impatient;
    await runtime.list();
    engine.freeze();
    const questions = {
      list: runtime.list(),
      inspect: runtime.inspect(container.workspaceId),
      engineId: runtime.engineId(),
      volumes: volumes.list(),
      volume: volumes.inspect(container.volume ?? ""),
      free: volumes.freeSpace(),
      jobs: launcher.find(container.workspaceId),
      image: runtime.ensureImage(FAKE_IMAGE, () => {}, never),
      remove: runtime.remove(container.id, 1),
    };
    const answers = await Promise.allSettled(Object.values(questions));
    for (const [index, answer] of answers.entries()) {
      expect(answer, Object.keys(questions)[index]).toMatchObject({
        status: "rejected",
        reason: { reason: "Unreachable" },
      });
    }
    engine.thaw();
    await vi.waitFor(async () => expect(await runtime.inspect(container.workspaceId)).toEqual([container]), SOON);
    await runtime.remove(container.id, 1);
  });

  it("is not there: a rejection that says so, and no attempt is spent on it", async () => {
    const nowhere = await dockerHarness("unix:///nowhere/docker.sock");
    await expect(nowhere.runtime.list()).rejects.toMatchObject({ reason: "Unreachable" });
    await expect(nowhere.volumes.inspect("x")).rejects.toThrow(/nowhere/);
  });

  it("restarts: containers and volumes are found again, and hints go on where they ended", async () => {
    const container = await startWorkspace(harness);
    const hints: string[] = [];
    const watching = new AbortController();
    const watch = harness.runtime.watch((id) => hints.push(id), watching.signal);
    const other = await startWorkspace(harness);
    await vi.waitFor(() => expect(hints).toContain(other.workspaceId), SOON);
    await engine.stop();
    await expect(harness.runtime.list()).rejects.toThrow();
    await engine.start();
    await vi.waitFor(() => expect(hints).toContain(container.workspaceId), SOON);
    const seen = await harness.runtime.inspect(container.workspaceId);
    expect(seen).toMatchObject([{ id: container.id, state: "exited", volume: container.volume }]);
    expect(await harness.volumes.identity(container.volume ?? "")).toMatchObject({
      workspaceId: container.workspaceId,
    });
    hints.length = 0;
    const later = await startWorkspace(harness);
    await vi.waitFor(() => expect(hints).toContain(later.workspaceId), SOON);
    watching.abort();
    await watch;
    for (const one of await harness.runtime.list()) await harness.runtime.remove(one.id, 0);
  });

  it("keeps a volume that anything refers to, also an ended container", async () => {
    const container = await startWorkspace(harness);
    const volume = container.volume ?? "";
    await expect(harness.volumes.remove(volume)).rejects.toThrow(/in use/);
    await ask(container, "/exit", { code: "0" }).catch(() => undefined);
    await vi.waitFor(async () => expect((await harness.runtime.list())[0]?.state).toBe("exited"), SOON);
    await expect(harness.volumes.remove(volume)).rejects.toThrow(/in use/);
    await harness.runtime.remove(container.id, 0);
    await harness.volumes.remove(volume);
    expect(await harness.volumes.inspect(volume)).toBeNull();
    await harness.volumes.remove(volume);
  });

  it("does not take a volume that the engine made up for a home", async () => {
    const container = await startWorkspace(harness);
    const name = container.volume ?? "";
    await harness.runtime.remove(container.id, 0);
    await harness.volumes.remove(name);
    await run("docker", ["-H", engine.host, "run", "--rm", "-v", `${name}:/home/coder`, FAKE_IMAGE, "true"]);
    expect(await harness.volumes.inspect(name)).toBeNull();
    const { workspaceId } = container;
    await expect(startWorkspace(harness, { workspaceId, volume: name })).rejects.toThrow(/not there/);
    const launch = { request: { kind: "pack", workspaceId } as const, labels: { workspaceId, attempt: randomUUID() } };
    await expect(harness.launcher.launch({ ...launch, volume: { name, access: "read" } })).rejects.toThrow(/no volume/);
    expect(await harness.volumes.create({ name, workspaceId, attempt: randomUUID() })).toBe(false);
  });

  it("finds a job whose server is gone by its labels, and ends it", async () => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const name = await harness.makeVolume(workspaceId, attempt, false);
    const expected = { manifestDigest: "x", entryCount: 1, contentBytes: 1 };
    const identity = { workspaceId, attempt, archiveKey: "k", manifestDigest: "x" };
    const request = { kind: "unpack", expected, formatVersion: 1, identity, object: null } as const;
    const job = await harness.launcher.launch({ request, labels: identity, volume: { name, access: "write" } });
    const { bytes, outcome } = converse(job, () => {});
    await bytes;
    outcome.catch(() => {});
    expect(await harness.launcher.find(workspaceId)).toEqual([attempt]);
    await expect(harness.volumes.remove(name)).rejects.toThrow(/in use/);
    await harness.launcher.end(workspaceId);
    expect(await harness.launcher.find(workspaceId)).toEqual([]);
    await expect(outcome).rejects.toThrow(/ended/);
    expect(await harness.volumes.identity(name)).toBeNull();
  });

  it("refuses to archive under a running workspace", async () => {
    const container = await startWorkspace(harness);
    const labels = { workspaceId: container.workspaceId, attempt: randomUUID() };
    const volume = { name: container.volume ?? "", access: "read" } as const;
    await expect(
      harness.launcher.launch({ request: { kind: "pack", workspaceId: labels.workspaceId }, labels, volume }),
    ).rejects.toThrow(/in use/);
    await harness.runtime.remove(container.id, 0);
  });
});

describe("the engine's client", () => {
  it("speaks the oldest version it knows, or what a newer engine still understands", async () => {
    const dir = await mkdtemp(join(tmpdir(), "chc-"));
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? "");
      response.setHeader("content-type", "application/json");
      if (request.url === "/version") response.end(JSON.stringify({ ApiVersion: "1.52", MinAPIVersion: "1.44" }));
      else response.writeHead(500).end(JSON.stringify({ message: "no space left on device" }));
    }).listen(join(dir, "sock"));
    await once(server, "listening");
    const client = new Engine({ host: `unix://${dir}/sock` });
    await expect(client.call("GET", "/info")).rejects.toMatchObject({ reason: "DiskFull", status: 500 });
    expect(paths).toEqual(["/version", "/v1.44/info"]);
    server.close();
    await rm(dir, { recursive: true });
  });
});

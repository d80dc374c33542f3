import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { tellOfOtherJobImage } from "#adapters/docker/job-image.ts";
import { JobSockets } from "#adapters/docker/job-sockets.ts";
import { DockerJobLauncher } from "#adapters/docker/jobs.ts";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { archiveKey } from "#core/rows/names.ts";
import { PROTOCOL_VERSION } from "#job-program/protocol.ts";
import { converse } from "#jobs/job-conversation.ts";
import type { JobLauncher } from "#jobs/job-launcher.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { Logger } from "#ports/logger.ts";
import { fillHome } from "../data/process-harness.ts";
import { unpackProgram } from "../upgrade/old-data.ts";
import { volumesPath } from "./docker-data-plane.ts";
import { type DockerHarness, dockerHarness, JOB_IMAGE } from "./docker-harness.ts";
import { startEngine } from "./private-engine.ts";

const run = promisify(execFile);
const host = inject("dockerHost") ?? "";
const quiet = { onProgress: () => {}, signal: new AbortController().signal };
const SOON = { timeout: 60_000, interval: 50 };
const LAUNCH_AND_WAIT = fileURLToPath(new URL("./launch-and-wait.ts", import.meta.url));

interface Inspected {
  readonly HostConfig: { readonly NetworkMode: string; readonly ReadonlyRootfs: boolean; readonly CapAdd: string[] };
  readonly Mounts: readonly { Type: string; Source: string; Destination: string; RW: boolean }[];
}

describe.skipIf(host === "")("how a job's bytes travel", () => {
  let harness: DockerHarness;
  let scratch: string;
  let socketsIn: string;
  beforeAll(async () => {
    harness = await dockerHarness(host);
    scratch = await mkdtemp(join(tmpdir(), "chway-"));
    socketsIn = join(scratch, "jobs");
  });
  afterAll(async () => {
    await harness?.close();
    await rm(scratch, { recursive: true, force: true });
  });

  const launcherWith = (change: object, on = harness): DockerJobLauncher => {
    const { engine, deploymentId } = on;
    return new DockerJobLauncher({ engine, deploymentId, jobImage: JOB_IMAGE, sockets: null, ...change });
  };
  const storeOf = async (on = harness) =>
    openFilesystemStore({ directory: join(scratch, on.deploymentId), deploymentId: on.deploymentId });
  const emptyArchive = async (launcher: JobLauncher, on = harness) => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const runner = new StorageJobRunner({ store: await storeOf(on), launcher, clock, ids });
    return await runner.archiveEmpty({ workspaceId, attempt, key: archiveKey(workspaceId, attempt) }, quiet);
  };
  const home = async () => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    fillHome(join(await volumesPath(harness), volume, "_data", "home"));
    return { workspaceId, volume, attempt: randomUUID() };
  };
  /** Says which channels were made, and why they were given up. */
  const watched = (sockets: JobSockets) => {
    const said: string[] = [];
    return {
      said,
      open: async () => {
        const channel = await sockets.open();
        if (channel !== null) said.push("offered");
        return channel;
      },
      giveUp: (why: string) => {
        said.push(why);
        sockets.giveUp(why);
      },
    };
  };

  it("by a socket of ours: one folder for one job, read-only, still without network, and gone when it is connected", async () => {
    const launcher = launcherWith({ sockets: new JobSockets(socketsIn) });
    const { workspaceId, volume, attempt } = await home();
    const job = await launcher.launch({
      request: { kind: "pack", workspaceId },
      labels: { workspaceId, attempt },
      volume: { name: volume, access: "read" },
    });
    const { bytes, outcome } = converse(job, () => {});
    const { output } = await bytes;
    await vi.waitFor(async () => expect(await readdir(socketsIn)).toEqual([]), SOON);
    const query = { filters: JSON.stringify({ label: [`codehub.workspace=${workspaceId}`] }) };
    const [listed] = await harness.engine.need<{ Id: string }[]>("GET", "/containers/json", { query });
    const seen = await harness.engine.need<Inspected>("GET", `/containers/${listed?.Id}/json`);
    expect(seen.HostConfig).toMatchObject({
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapAdd: ["CHOWN", "FOWNER", "FSETID", "DAC_OVERRIDE"],
    });
    expect(seen.Mounts.map((mount) => [mount.Type, mount.Destination, mount.RW]).sort()).toEqual([
      ["bind", "/run/codehub", false],
      ["volume", "/volume", false],
    ]);
    // Nobody reads, and the job waits. Its engine answers all the same, and ends it.
    const ended = expect(outcome).rejects.toMatchObject({ reason: "ActionFailed" });
    expect(await launcher.find(workspaceId)).toEqual([attempt]);
    await launcher.end(workspaceId);
    await ended;
    output.destroy();
  });

  it("lets a job go whose server was killed in the middle, and the next attempt is whole", async () => {
    const { workspaceId, volume, attempt } = await home();
    const args = [LAUNCH_AND_WAIT, host, harness.deploymentId, workspaceId, attempt, volume, scratch];
    const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(server.stdout, "data");
    expect(await harness.launcher.find(workspaceId)).toEqual([attempt]);
    server.kill("SIGKILL");
    await vi.waitFor(async () => expect(await harness.launcher.find(workspaceId)).toEqual([]), SOON);
    const next = randomUUID();
    const store = await storeOf();
    const runner = new StorageJobRunner({ store, launcher: harness.launcher, clock, ids });
    const key = archiveKey(workspaceId, next);
    const facts = await runner.archive({ workspaceId, attempt: next, volume, key }, quiet);
    expect(facts.entryCount).toBe(212);
  });

  it("through the engine where it does not have our files, found by trying, once", async () => {
    const hidden = join(scratch, "hidden");
    await mkdir(hidden);
    // As on another machine: the same path, and nothing of ours in it.
    const hide = ["unshare", "--mount", "sh", "-c", `mount -t tmpfs none ${hidden} && exec "$@"`, "sh"];
    await using elsewhere = await startEngine("fake", [], hide);
    const there = await dockerHarness(elsewhere.host);
    try {
      const sockets = watched(new JobSockets(hidden));
      const launcher = launcherWith({ sockets }, there);
      expect(await emptyArchive(launcher, there)).toMatchObject({ entryCount: 0 });
      expect(sockets.said).toEqual(["offered", expect.stringMatching(/source path does not exist/)]);
      expect(await emptyArchive(launcher, there)).toMatchObject({ entryCount: 0 });
      expect(sockets.said).toHaveLength(2);
      expect(await readdir(hidden)).toEqual([]);
    } finally {
      await there.close();
    }
  });

  it("through the engine where a job does not reach the socket, found by trying, once", async () => {
    const sockets = watched(new JobSockets(socketsIn));
    const blocked = {
      ...sockets,
      open: async () => {
        const channel = await sockets.open();
        if (channel !== null) await rm(join(channel.mount.source, "socket"));
        return channel;
      },
    };
    const launcher = launcherWith({ sockets: blocked });
    expect(await emptyArchive(launcher)).toMatchObject({ entryCount: 0 });
    expect(sockets.said).toEqual(["offered", expect.stringMatching(/ENOENT.*\/run\/codehub\/socket/)]);
    expect(await emptyArchive(launcher)).toMatchObject({ entryCount: 0 });
    expect(sockets.said).toHaveLength(2);
    expect(await readdir(socketsIn)).toEqual([]);
  });

  describe("with a job image of 0.1.0", () => {
    const image = "codehub-test/old-job:latest";
    let context: string;
    beforeAll(async () => {
      const program = await unpackProgram();
      context = await mkdtemp(join(tmpdir(), "chold-"));
      await cp(join(program, "src/jobs"), join(context, "jobs"), { recursive: true });
      await rm(program, { recursive: true, force: true });
      const dockerfile = `
        FROM ${JOB_IMAGE}
        LABEL codehub.job-protocol=
        COPY jobs /app/jobs
        ENTRYPOINT ["node", "--no-warnings", "/app/jobs/main.ts"]
      `;
      await writeFile(join(context, "Dockerfile"), dockerfile);
      const env = { ...process.env, DOCKER_BUILDKIT: "0", DOCKER_CONFIG: context };
      await run("docker", ["-H", host, "build", "-q", "-t", image, context], { env });
    });
    afterAll(async () => {
      await rm(context, { recursive: true, force: true });
    });

    it.each(["socket", "streams"])("refuses it by name, by %s, and calls no archive broken", async (way) => {
      const { workspaceId, volume, attempt } = await home();
      const store = await storeOf();
      const today = new StorageJobRunner({ store, launcher: harness.launcher, clock, ids });
      const key = archiveKey(workspaceId, attempt);
      const expected = await today.archive({ workspaceId, attempt, volume, key }, quiet);

      const sockets = way === "socket" ? new JobSockets(socketsIn) : null;
      const old = new StorageJobRunner({ store, launcher: launcherWith({ jobImage: image, sockets }), clock, ids });
      const refusal = {
        reason: "ActionFailed",
        fields: { failure: "job_image_version", image, spoken: 1, expected: PROTOCOL_VERSION },
      };
      const other = randomUUID();
      const otherKey = archiveKey(workspaceId, other);
      const archiving = old.archive({ workspaceId, attempt: other, volume, key: otherKey }, quiet);
      await expect(archiving).rejects.toMatchObject(refusal);
      expect(await store.head(otherKey)).toBeNull();
      await expect(old.verify({ key, expected }, quiet)).rejects.toMatchObject(refusal);
      const restored = { workspaceId, attempt: other, volume: await harness.makeVolume(workspaceId, other, false) };
      await expect(old.restore({ ...restored, key, expected }, quiet)).rejects.toMatchObject(refusal);
      expect(await harness.volumes.identity(restored.volume)).toBeNull();
      // When the image was built anew, the same attempt goes on.
      await today.restore({ ...restored, key, expected }, quiet);
    });

    it("says so when the server starts, with the command that builds it", async () => {
      const told = async (name: string): Promise<object[]> => {
        const lines: object[] = [];
        const logger = { error: (fields: object) => lines.push(fields) } as unknown as Logger;
        await tellOfOtherJobImage(harness.engine, name, logger);
        return lines;
      };
      expect(await told(JOB_IMAGE)).toEqual([]);
      const command = `docker build -t ${image} -f deploy/images/job/Dockerfile .`;
      expect(await told(image)).toMatchObject([{ image, expected: PROTOCOL_VERSION, command }]);
      expect(await told("codehub-test/nowhere:latest")).toMatchObject([{ spoken: "no image" }]);
    });
  });
});

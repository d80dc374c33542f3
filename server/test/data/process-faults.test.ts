import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProcesses } from "#adapters/process/labels.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import { mayActAsRoot } from "../root.ts";
import { endAll, forgers } from "../suites/forged-process.ts";
import { freeze } from "../suites/freeze.ts";
import { delegate } from "../suites/storage-jobs-suite.ts";
import { fingerprint } from "./fingerprint.ts";
import { harmless, hostileArchives, LIMITS } from "./hostile-archives.ts";
import { type ProcessDataPlane, processDataPlane } from "./process-harness.ts";

const never = new AbortController().signal;
const quiet = { onProgress: () => {}, signal: never };

async function newVolume(plane: ProcessDataPlane, workspaceId: string) {
  const attempt = randomUUID();
  const volume = volumeName(workspaceId, attempt);
  await plane.volumes.create({ name: volume, workspaceId, attempt });
  return { workspaceId, attempt, volume };
}

describe("when the server is killed", () => {
  it("its job is found by another server and ended with tar and zstd", async () => {
    const plane = await processDataPlane({});
    const { workspaceId, attempt, volume } = await newVolume(plane, randomUUID());
    writeFileSync(join(plane.homePath(volume), "noise"), randomBytes(20 * 2 ** 20));
    await plane.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    const program = fileURLToPath(new URL("./launch-and-wait.ts", import.meta.url));
    const args = [program, plane.deploymentId, workspaceId, attempt, plane.volumes.path(volume)];
    const server = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    await once(server.stdout, "data");
    // Stopped, because a job whose reader is gone may notice and end by itself before it is looked for.
    for (const { pid } of await findProcesses({ CODEHUB_JOB_WORKSPACE: workspaceId })) freeze(pid);
    const gone = once(server, "exit");
    server.kill("SIGKILL");
    await gone;
    expect(await plane.launcher.find(workspaceId)).toEqual([attempt]);
    await plane.launcher.end(workspaceId);
    expect(await plane.launcher.find(workspaceId)).toEqual([]);
    await plane.close();
  });

  it.runIf(mayActAsRoot("a process of another account"))(
    "a process of another account that claims to be its job holds nothing up",
    async () => {
      const plane = await processDataPlane({});
      const workspaceId = randomUUID();
      const env = {
        CODEHUB_JOB_WORKSPACE: workspaceId,
        CODEHUB_JOB_DEPLOYMENT: plane.deploymentId,
        CODEHUB_JOB_ATTEMPT: randomUUID(),
      };
      const forged = await forgers(plane.scratch, env);
      expect(await plane.launcher.find(workspaceId)).toEqual([]);
      await plane.launcher.end(workspaceId);
      for (const process of forged) expect(process.signalCode).toBeNull();
      await endAll(forged);
      await plane.close();
    },
  );

  it("another deployment's jobs are neither found nor ended", async () => {
    const plane = await processDataPlane({});
    const workspaceId = randomUUID();
    const stranger = spawn("sleep", ["600"], {
      env: { CODEHUB_JOB_WORKSPACE: workspaceId, CODEHUB_JOB_DEPLOYMENT: randomUUID(), CODEHUB_JOB_ATTEMPT: "a" },
    });
    await once(stranger, "spawn");
    expect(await plane.launcher.find(workspaceId)).toEqual([]);
    await plane.launcher.end(workspaceId);
    expect(stranger.exitCode).toBeNull();
    const gone = once(stranger, "exit");
    stranger.kill("SIGKILL");
    await gone;
    await plane.close();
  });
});

describe("an archive that is a file", () => {
  it("is tried again when it cannot be read, and never called damaged", async () => {
    const plane = await processDataPlane({});
    const { workspaceId, attempt, volume } = await newVolume(plane, randomUUID());
    await plane.fill(volume);
    await plane.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    const key = archiveKey(workspaceId, randomUUID());
    const expected = await plane
      .jobs(plane.store)
      .archive({ workspaceId, attempt: key.slice(37, 73), volume, key }, quiet);
    const path = join(plane.scratch, "archives", key);
    let unreadable = 0;
    // Opened for writing only: every read fails, as on a disk that gives no answer.
    const openFile = () => open(path, unreadable-- > 0 ? "a" : "r");
    const jobs = plane.jobs({ ...delegate(plane.store), openFile });
    unreadable = 2;
    const target = await newVolume(plane, workspaceId);
    await jobs.restore({ ...target, key, expected }, quiet);
    expect(await plane.fingerprint(target.volume)).toBe(await plane.fingerprint(volume));
    unreadable = 3;
    await expect(jobs.verify({ key, expected }, quiet)).rejects.toMatchObject({ reason: "Unreachable" });
    await plane.close();
  });
});

describe.runIf(mayActAsRoot("a full disk, which is mounted"))("on a disk of 48 MB", () => {
  let mount: string;
  let plane: ProcessDataPlane;
  beforeAll(async () => {
    mount = await mkdtemp(join(tmpdir(), "codehub-disk-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", mount]);
    plane = await processDataPlane({ volumesDirectory: join(mount, "volumes") });
  });
  afterAll(async () => {
    await plane?.close();
    execFileSync("umount", [mount]);
    await rm(mount, { recursive: true });
  });

  /** An archive made elsewhere, of a home with this many megabytes. */
  const archived = async (megabytes: number) => {
    const elsewhere = await processDataPlane({ store: async () => plane.store });
    const { workspaceId, attempt, volume } = await newVolume(elsewhere, randomUUID());
    for (let i = 0; i < megabytes; i++)
      writeFileSync(join(elsewhere.homePath(volume), `part-${i}`), randomBytes(2 ** 20));
    await elsewhere.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    const key = archiveKey(workspaceId, attempt);
    const facts = await elsewhere.jobs(plane.store).archive({ workspaceId, attempt, volume, key }, quiet);
    await elsewhere.close();
    return { workspaceId, key, facts };
  };

  it("a home that cannot fit is not begun", async () => {
    const { workspaceId, key, facts } = await archived(60);
    const target = await newVolume(plane, workspaceId);
    const restoring = plane.jobs(plane.store).restore({ ...target, key, expected: facts }, quiet);
    await expect(restoring).rejects.toMatchObject({ reason: "DiskFull" });
    expect(await plane.volumes.identity(target.volume)).toBeNull();
    await plane.jobs(plane.store).verify({ key, expected: facts }, quiet);
    await plane.volumes.remove(target.volume);
  });

  it("a disk that fills up meanwhile is told as such, and the archive stays good", async () => {
    const { workspaceId, key, facts } = await archived(30);
    const target = await newVolume(plane, workspaceId);
    const filler = join(mount, "filler");
    const jobs = plane.jobs({
      ...delegate(plane.store),
      get: async (name, signal) => {
        const { body, sizeBytes } = await plane.store.get(name, signal);
        let seen = 0;
        const filling = async function* () {
          for await (const chunk of body as AsyncIterable<Buffer>) {
            const before = seen;
            seen += chunk.length;
            if (before < sizeBytes / 2 && seen >= sizeBytes / 2) spawnSync("dd", ["if=/dev/zero", `of=${filler}`]);
            yield chunk;
          }
        };
        return { body: Readable.from(filling()), sizeBytes };
      },
    });
    await expect(jobs.restore({ ...target, key, expected: facts }, quiet)).rejects.toMatchObject({
      reason: "DiskFull",
    });
    expect(await plane.volumes.identity(target.volume)).toBeNull();
    await rm(filler);
    await plane.jobs(plane.store).restore({ ...target, key, expected: facts }, quiet);
    await plane.volumes.remove(target.volume);
  });
});

describe("hostile archives", () => {
  let plane: ProcessDataPlane;
  let outside: string;
  let victim: string;
  beforeAll(async () => {
    plane = await processDataPlane({});
    outside = join(plane.scratch, "outside");
    mkdirSync(outside);
    victim = join(outside, "victim");
    writeFileSync(victim, "untouched");
  });
  afterAll(async () => {
    await plane?.close();
  });

  /** An object with a marker whose every checksum is right: only its content is bad. */
  const store = async (tar: Buffer): Promise<{ workspaceId: string; key: string; expected: ArchiveFacts }> => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const key = archiveKey(workspaceId, attempt);
    const written = await plane.store.put(key, Readable.from([zstdCompressSync(tar)]), never);
    const expected = { ...written, ...LIMITS, manifestDigest: "0".repeat(64), skippedSockets: 0, formatVersion: 1 };
    await plane.store.putMeta(key, { ...expected, workspaceId, attempt, createdAt: 1 });
    return { workspaceId, key, expected };
  };

  it("are refused one and all, and nothing outside the volume changes", async () => {
    const host = fingerprint(outside);
    const passwd = readFileSync("/etc/passwd");
    for (const [what, tar] of hostileArchives(victim)) {
      const { workspaceId, key, expected } = await store(tar);
      const target = await newVolume(plane, workspaceId);
      const restoring = plane.jobs(plane.store).restore({ ...target, key, expected }, quiet);
      await expect(restoring, what).rejects.toMatchObject({ reason: "ArchiveCorrupted" });
      expect(await plane.volumes.identity(target.volume), what).toBeNull();
      expect(fingerprint(outside), what).toBe(host);
      await plane.volumes.remove(target.volume);
    }
    expect(readFileSync("/etc/passwd").equals(passwd)).toBe(true);
  }, 300_000);

  it("a bomb is stopped after what was recorded, not after what it unfolds to", async () => {
    // A quarter of a gigabyte in a few kilobytes, after a harmless beginning.
    const bomb = Buffer.concat([harmless(), Buffer.alloc(2 ** 28)]);
    const { workspaceId, key, expected } = await store(bomb);
    const target = await newVolume(plane, workspaceId);
    const restoring = plane.jobs(plane.store).restore({ ...target, key, expected }, quiet);
    await expect(restoring).rejects.toThrow(/end mark/);
    expect(await plane.volumes.identity(target.volume)).toBeNull();
  });
});

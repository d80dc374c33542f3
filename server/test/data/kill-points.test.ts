import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProcesses } from "#adapters/process/labels.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { ArchiveSpec } from "#ports/jobs.ts";
import { delegate } from "../suites/storage-jobs-suite.ts";
import { type ProcessDataPlane, processDataPlane } from "./process-harness.ts";

const POINTS = 20;
const quiet = { onProgress: () => {}, signal: new AbortController().signal };

/** Passes bytes on and calls back once, when this share of them has gone by. */
function watch(body: Readable, totalBytes: number, share: number, reached: () => Promise<void>): Readable {
  const passed = new PassThrough();
  let seen = 0;
  let told = false;
  const tell = async () => {
    if (told) return;
    told = true;
    await reached();
  };
  pipeline(
    body,
    async function* (source: AsyncIterable<Buffer>) {
      if (share === 0) await tell();
      for await (const chunk of source) {
        seen += chunk.length;
        if (seen >= totalBytes * share) await tell();
        yield chunk;
      }
    },
    passed,
  ).catch((error: Error) => passed.destroy(error));
  return passed;
}

describe("a job that is killed at any point", () => {
  let plane: ProcessDataPlane;
  let home: ArchiveSpec;
  let before: string;
  let objectBytes: number;
  beforeAll(async () => {
    plane = await processDataPlane({});
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = volumeName(workspaceId, attempt);
    await plane.volumes.create({ name: volume, workspaceId, attempt });
    for (let i = 0; i < 30; i++) {
      mkdirSync(join(plane.homePath(volume), `folder-${i}`));
      writeFileSync(join(plane.homePath(volume), `folder-${i}`, "noise"), randomBytes(1_500_000));
      writeFileSync(join(plane.homePath(volume), `folder-${i}`, "text"), "text ".repeat(i * 100));
    }
    await plane.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    before = await plane.fingerprint(volume);
    home = { workspaceId, attempt, volume, key: "" };
    objectBytes = 30 * 1_500_000;
  });
  afterAll(async () => {
    await plane?.close();
  });

  /** Kills one program of the running job without warning, as a machine out of memory does. */
  const killOne = (program: string) => async (): Promise<void> => {
    const processes = await findProcesses({ CODEHUB_JOB_WORKSPACE: home.workspaceId });
    const named = processes.filter(({ pid }) => commandOf(pid) === program);
    for (const { pid } of named.length > 0 ? named : processes) process.kill(pid, "SIGKILL");
  };
  const faulty = (change: Partial<ArchiveStore>): ArchiveStore => ({ ...delegate(plane.store), ...change });

  for (let point = 0; point <= POINTS; point++) {
    const victim = ["node", "tar", "zstd"][point % 3] as string;

    it(`archive: ${victim} killed at ${point}/${POINTS}: no archive, and the same attempt succeeds afterwards`, async () => {
      const attempt = randomUUID();
      const spec = { ...home, attempt, key: archiveKey(home.workspaceId, attempt) };
      let killed = false;
      const jobs = plane.jobs(
        faulty({
          put: (key, body, signal) =>
            plane.store.put(
              key,
              watch(body, objectBytes, point / POINTS, async () => {
                killed = true;
                await killOne(victim)();
              }),
              signal,
            ),
        }),
      );
      const result = await jobs.archive(spec, quiet).then(
        () => "archived",
        (error: { reason?: string }) => error.reason,
      );
      expect(killed).toBe(true);
      // Near the end the programs may have finished before they were killed; then the archive must be whole.
      if (point < POINTS - 2) expect(result).toBe("ActionFailed");
      // Killed after its last byte, it may leave an object without a marker: that is an upload that was never finished. With one,
      // the job that reads it back was hit, which begins while the other ends: then the archive is whole.
      const left = await plane.store.head(spec.key);
      if (point < POINTS - 2) expect(left).toBeNull();
      const clean = plane.jobs(plane.store);
      if (left !== null && left.meta !== null) await clean.verify({ key: spec.key, expected: left.meta }, quiet);
      const facts = await clean.archive(spec, quiet);
      await clean.verify({ key: spec.key, expected: facts }, quiet);
      expect(await plane.fingerprint(home.volume)).toBe(before);
      await plane.store.remove(spec.key);
    });
  }

  it("restore: killed at any point, the volume is no home; run again, it is the same one", async () => {
    const attempt = randomUUID();
    const key = archiveKey(home.workspaceId, attempt);
    const facts = await plane.jobs(plane.store).archive({ ...home, attempt, key }, quiet);
    for (let point = 0; point <= POINTS; point++) {
      const victim = ["node", "tar", "zstd"][point % 3] as string;
      const target = { workspaceId: home.workspaceId, attempt: randomUUID() };
      const volume = volumeName(target.workspaceId, target.attempt);
      await plane.volumes.create({ name: volume, ...target });
      const spec = { ...target, volume, key, expected: facts };
      const jobs = plane.jobs(
        faulty({
          get: async (name, signal) => {
            const { body, sizeBytes } = await plane.store.get(name, signal);
            return { body: watch(body, sizeBytes, point / POINTS, killOne(victim)), sizeBytes };
          },
        }),
      );
      await expect(jobs.restore(spec, quiet), `${victim} at ${point}`).rejects.toMatchObject({
        reason: "ActionFailed",
      });
      expect(await plane.volumes.identity(volume)).toBeNull();
      expect(await plane.jobs(plane.store).find(home.workspaceId)).toEqual([]);
      await plane.jobs(plane.store).restore(spec, quiet);
      expect(await plane.fingerprint(volume)).toBe(before);
      await plane.volumes.remove(volume);
    }
  }, 600_000);
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

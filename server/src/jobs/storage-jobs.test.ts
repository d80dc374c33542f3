import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { archiveKey } from "#core/rows/names.ts";
import { FORMAT_VERSION, type JobReport, PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { Restored } from "#ports/jobs.ts";
import type { JobLauncher } from "./job-launcher.ts";
import { StorageJobRunner } from "./storage-jobs.ts";

const [workspaceId, attempt] = [ids.uuid(), ids.uuid()];
const key = archiveKey(workspaceId, attempt);
const expected = {
  ...{ sha256: "0".repeat(64), sizeBytes: 1, manifestDigest: "digest", entryCount: 1, contentBytes: 1 },
  formatVersion: FORMAT_VERSION,
  skippedSockets: 0,
};

/** A job that has said everything and is gone before the store has begun to answer. */
function endedEarly(...reports: JobReport[]): StorageJobRunner {
  const greeting: JobReport = { greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } };
  const input = new PassThrough();
  const gone = new Promise<void>((resolve) => input.once("close", resolve));
  const launcher: Pick<JobLauncher, "takesFiles" | "launch"> = {
    takesFiles: false,
    launch: async () => ({
      image: null,
      stderr: Readable.from([greeting, ...reports].map((report) => `${JSON.stringify(report)}\n`)),
      bytes: async () => ({ input, output: new PassThrough() }),
      exited: Promise.resolve({ code: 0 }),
      kill: () => {},
      release: () => {},
    }),
  };
  const store: Pick<ArchiveStore, "head" | "get"> = {
    head: async () => ({ sizeBytes: 1, meta: { ...expected, workspaceId, attempt, createdAt: 1 } }),
    get: async () => {
      input.destroy();
      await gone;
      return { sizeBytes: 1, body: Readable.from([Buffer.from("x")]) };
    },
  };
  return new StorageJobRunner({ store: store as ArchiveStore, launcher: launcher as JobLauncher, clock, ids });
}

const restore = (jobs: StorageJobRunner): Promise<Restored> =>
  jobs.restore(
    { workspaceId, attempt, key, expected, volume: "v" },
    { signal: new AbortController().signal, onProgress: () => {} },
  );

const untouched = (identity: { workspaceId: string; attempt: string }): JobReport => ({
  unpacked: { untouched: true, identity: { ...identity, archiveKey: key, manifestDigest: "digest" } },
});

test("a volume that is whole already is a restore that succeeded, however soon its job was done", async () => {
  await expect(restore(endedEarly(untouched({ workspaceId, attempt })))).resolves.toEqual({ given: 0 });
});

test("a job that was done before it was given anything tells itself why", async () => {
  const other = { workspaceId: ids.uuid(), attempt: ids.uuid() };
  await expect(restore(endedEarly(untouched(other)))).rejects.toThrow(/already/);
});

test("what a job never read is not restored", async () => {
  const identity = { workspaceId, attempt, archiveKey: key, manifestDigest: "digest" };
  await expect(restore(endedEarly({ unpacked: { untouched: false, identity } }))).rejects.toThrow(/pipe/);
});

test("an archive whose job failed after it had said all is not waited for in a store that takes its time", async () => {
  const packed = {
    manifestDigest: "digest",
    entryCount: 1,
    contentBytes: 1,
    formatVersion: FORMAT_VERSION,
    skippedSockets: 0,
  };
  const reports: JobReport[] = [{ greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } }, { packed }];
  const begun = Promise.withResolvers<void>();
  const launcher: Pick<JobLauncher, "takesFiles" | "launch"> = {
    takesFiles: false,
    launch: async () => ({
      image: null,
      stderr: Readable.from(reports.map((report) => `${JSON.stringify(report)}\n`)),
      bytes: async () => ({ input: null, output: Readable.from([Buffer.from("x")]) }),
      exited: begun.promise.then(() => ({ code: 137 })),
      kill: () => {},
      release: () => {},
    }),
  };
  const store: Pick<ArchiveStore, "head" | "put"> = {
    head: async () => null,
    put: (_, body) =>
      new Promise((_resolve, reject) => {
        body.once("error", reject);
        begun.resolve();
      }),
  };
  const jobs = new StorageJobRunner({ store: store as ArchiveStore, launcher: launcher as JobLauncher, clock, ids });
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  await expect(jobs.archive({ workspaceId, attempt, key, volume: "v" }, options)).rejects.toThrow(
    "ended with code 137",
  );
});

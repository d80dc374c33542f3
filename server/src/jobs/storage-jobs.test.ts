import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { archiveKey } from "#core/rows/names.ts";
import { FORMAT_VERSION, type JobReport, PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { ArchiveMeta, ArchiveStore } from "#ports/archives.ts";
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

test("what a job sent is stored while its engine still takes it away, and the archive is not done before it is gone", async () => {
  const packed = {
    manifestDigest: "d",
    entryCount: 1,
    contentBytes: 1,
    formatVersion: FORMAT_VERSION,
    skippedSockets: 0,
  };
  const sent = { parts: 1, sizeBytes: 1, sha256: "0".repeat(64) };
  const { skippedSockets: _, formatVersion: __, ...inspected } = packed;
  const gone = Promise.withResolvers<{ code: number }>();
  const steps: string[] = [];
  const say = (...reports: JobReport[]): Readable =>
    Readable.from(
      [{ greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } }, ...reports].map(
        (report) => `${JSON.stringify(report)}\n`,
      ),
    );
  const launcher: Pick<JobLauncher, "takesFiles" | "direct" | "launch"> = {
    takesFiles: false,
    direct: { partsFor: async () => ({ parts: 1, partBytes: 1 }), validSeconds: 1, ca: null },
    launch: async ({ request }) => {
      const packs = request.kind === "pack";
      return {
        image: null,
        stderr: say(packs ? { packed, sent } : { inspected }),
        bytes: async () => ({ input: null, output: Readable.from([]) }),
        ended: Promise.resolve({ code: 0 }),
        exited: packs ? gone.promise : Promise.resolve({ code: 0 }),
        kill: () => {},
        release: () => {},
      };
    },
  };
  let meta: ArchiveMeta | null = null;
  const readBack = Promise.withResolvers<void>();
  const store: Partial<ArchiveStore> = {
    head: async () => (meta === null ? null : { sizeBytes: 1, meta }),
    begin: async () => "upload",
    sign: async () => ["address"],
    complete: async () => void steps.push("complete"),
    abort: async () => void steps.push("abort"),
    signRead: async () => {
      readBack.resolve();
      return "address";
    },
    putMeta: async (_key, written) => {
      steps.push("marker");
      meta = written;
    },
  };
  const jobs = new StorageJobRunner({ store: store as ArchiveStore, launcher: launcher as JobLauncher, clock, ids });
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  const archived = jobs.archive({ workspaceId, attempt, key, volume: "v" }, options).then(() => steps.push("done"));
  await readBack.promise;
  await new Promise(setImmediate);
  steps.push("gone");
  gone.resolve({ code: 0 });
  await archived;
  expect(steps).toEqual(["complete", "marker", "gone", "done"]);
});

test("nothing is stored of a job that had said all and then ended badly", async () => {
  const packed = {
    manifestDigest: "d",
    entryCount: 1,
    contentBytes: 1,
    formatVersion: FORMAT_VERSION,
    skippedSockets: 0,
  };
  const sent = { parts: 1, sizeBytes: 1, sha256: "0".repeat(64) };
  const reports: JobReport[] = [{ greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } }, { packed, sent }];
  const launcher: Pick<JobLauncher, "takesFiles" | "direct" | "launch"> = {
    takesFiles: false,
    direct: { partsFor: async () => ({ parts: 1, partBytes: 1 }), validSeconds: 1, ca: null },
    launch: async () => ({
      image: null,
      stderr: Readable.from(reports.map((report) => `${JSON.stringify(report)}\n`)),
      bytes: async () => ({ input: null, output: Readable.from([]) }),
      ended: Promise.resolve({ code: 1 }),
      exited: Promise.resolve({ code: 1 }),
      kill: () => {},
      release: () => {},
    }),
  };
  const steps: string[] = [];
  const store: Partial<ArchiveStore> = {
    head: async () => null,
    begin: async () => "upload",
    sign: async () => ["address"],
    complete: async () => void steps.push("complete"),
    abort: async () => void steps.push("abort"),
    signRead: async () => "address",
    putMeta: async () => void steps.push("marker"),
  };
  const jobs = new StorageJobRunner({ store: store as ArchiveStore, launcher: launcher as JobLauncher, clock, ids });
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  await expect(jobs.archive({ workspaceId, attempt, key, volume: "v" }, options)).rejects.toThrow(/code 1/);
  expect(steps).toEqual(["abort"]);
});

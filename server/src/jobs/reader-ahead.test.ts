import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { archiveKey } from "#core/rows/names.ts";
import { FORMAT_VERSION, type JobReport, PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { ArchiveMeta, ArchiveStore } from "#ports/archives.ts";
import type { JobExit, JobLauncher } from "./job-launcher.ts";
import { StorageJobRunner } from "./storage-jobs.ts";

const [workspaceId, attempt] = [ids.uuid(), ids.uuid()];
const spec = { workspaceId, attempt, volume: "v", key: archiveKey(workspaceId, attempt) };
const tree = { manifestDigest: "digest", entryCount: 1, contentBytes: 1 };
const packed = { ...tree, skippedSockets: 0, formatVersion: FORMAT_VERSION };
/** Of the one byte x. */
const stored = { sizeBytes: 1, sha256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" };

/** One runner with jobs that say what they are told to, and what happened in which order. */
function world({ packExit = 0, inspected = tree } = {}) {
  const happened: string[] = [];
  let meta: ArchiveMeta | null = null;
  const store: Pick<ArchiveStore, "head" | "put" | "putMeta" | "get" | "remove"> = {
    head: async () => (meta === null ? null : { sizeBytes: 1, meta }),
    put: async (_key, body) => {
      for await (const _ of body);
      happened.push("stored");
      return stored;
    },
    putMeta: async (_key, given) => {
      happened.push("marked");
      meta = given;
    },
    get: async () => {
      happened.push("read");
      return { sizeBytes: 1, body: Readable.from([Buffer.from("x")]) };
    },
    remove: async () => {
      happened.push("removed");
    },
  };
  const readerLaunched = Promise.withResolvers<void>();
  const launch = async (kind: string) => {
    happened.push(`${kind} launched`);
    const stderr = new PassThrough();
    const says = (report: JobReport) => stderr.write(`${JSON.stringify(report)}\n`);
    const { promise: exited, resolve } = Promise.withResolvers<JobExit>();
    const end = (code: number | null, how: string) => {
      if (stderr.writableEnded) return;
      happened.push(`${kind} ${how}`);
      stderr.end();
      resolve({ code });
    };
    const [input, output] = [new PassThrough(), new PassThrough()];
    says({ greeting: { protocol: PROTOCOL_VERSION, bytes: "streams" } });
    if (kind === "pack") {
      output.end("x");
      says({ packed });
      // The container that packed takes its time to go; meanwhile the reader is on its way.
      readerLaunched.promise.then(() => end(packExit, "ended"));
    } else {
      readerLaunched.resolve();
      input.resume().on("end", () => {
        says({ inspected });
        end(0, "ended");
      });
    }
    const bytes = async () => ({ input, output });
    return { image: null, stderr, bytes, exited, kill: () => end(null, "killed"), release: () => {} };
  };
  const launcher: Pick<JobLauncher, "takesFiles" | "launch"> = {
    takesFiles: false,
    launch: ({ request }) => launch(request.kind),
  };
  const parts = { store: store as ArchiveStore, launcher: launcher as JobLauncher, clock, ids };
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  return { happened, archive: () => new StorageJobRunner(parts).archive(spec, options) };
}

/** The object may be whole before or after its packer is gone: it counts for nothing until it is marked. */
const withoutStored = (happened: readonly string[]): string[] => happened.filter((what) => what !== "stored");

test("the reader starts while the packer ends, and reads nothing before the archive and its marker are stored", async () => {
  const { happened, archive } = world();
  await expect(archive()).resolves.toEqual({ ...packed, ...stored });
  const order = ["pack launched", "inspect launched", "pack ended", "marked", "read", "inspect ended"];
  expect(withoutStored(happened)).toEqual(order);
  expect(happened.indexOf("stored")).toBeLessThan(happened.indexOf("marked"));
});

test("a packer that fails after it said that it was done ends its reader, which was given nothing; nothing is marked", async () => {
  const { happened, archive } = world({ packExit: 1 });
  await expect(archive()).rejects.toThrow("ended with code 1");
  expect(withoutStored(happened)).toEqual(["pack launched", "inspect launched", "pack ended", "inspect killed"]);
});

test("what the reader found is held against what was recorded", async () => {
  const { happened, archive } = world({ inspected: { ...tree, manifestDigest: "another" } });
  await expect(archive()).rejects.toThrow("did not read back as written");
  expect(happened).toContain("removed");
});

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import type { ArchiveStore, DirectUploads } from "#ports/archives.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { ArchiveSpec, StorageJobs } from "#ports/jobs.ts";
import type { Progress } from "#ports/store.ts";
import type { Volumes } from "#ports/volumes.ts";

export interface StorageJobsHarness {
  readonly volumes: Volumes;
  readonly store: ArchiveStore;
  /** Storage jobs that use this store, which a test may have wrapped to make it fail. */
  readonly jobs: (store: ArchiveStore) => StorageJobs;
  /** Puts a few megabytes of different things into the home. */
  readonly fill: (volume: string) => Promise<void>;
  /** Equal for equal homes; made without the code under test. */
  readonly fingerprint: (volume: string) => Promise<string>;
  /** Where jobs find a server of this process, if not on their loopback. */
  readonly host?: string;
  readonly close: () => Promise<void>;
}

const never = new AbortController().signal;
const quiet = { onProgress: () => {}, signal: never };

/** What the storage job promises on every runtime. Where a job takes long to begin, one kind of damage stands for all. */
export function storageJobsSuite(
  name: string,
  make: () => Promise<StorageJobsHarness>,
  { everyDamage = true }: { readonly everyDamage?: boolean } = {},
): void {
  describe(`storage jobs: ${name}`, () => {
    let harness: StorageJobsHarness;
    let store: ArchiveStore;
    let jobs: StorageJobs;
    beforeAll(async () => {
      harness = await make();
      store = harness.store;
      jobs = harness.jobs(store);
    });
    afterAll(async () => {
      await harness?.close();
    });

    const place = (workspaceId: string) => {
      const attempt = randomUUID();
      const [volume, key] = [volumeName(workspaceId, attempt), archiveKey(workspaceId, attempt)];
      return { workspaceId, attempt, volume, key };
    };
    /** A home with content, ready to be archived under a fresh attempt. */
    const home = async (): Promise<ArchiveSpec> => {
      const made = place(randomUUID());
      await harness.volumes.create({ name: made.volume, workspaceId: made.workspaceId, attempt: made.attempt });
      await harness.fill(made.volume);
      const { workspaceId, attempt, volume } = made;
      await harness.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
      const next = place(workspaceId);
      return { ...next, volume };
    };
    const emptyVolume = async (workspaceId: string) => {
      const { volume, attempt } = place(workspaceId);
      await harness.volumes.create({ name: volume, workspaceId, attempt });
      return { workspaceId, volume, attempt };
    };
    const bytesOf = async (key: string): Promise<Buffer> => buffer((await store.get(key, never)).body);
    /** The same object key with other bytes, under the same marker. */
    const tamper = async (key: string, change: (bytes: Buffer) => Buffer): Promise<void> => {
      const head = await store.head(key);
      const bytes = change(await bytesOf(key));
      await store.remove(key);
      await store.put(key, Readable.from([bytes]), never);
      if (head?.meta) await store.putMeta(key, head.meta);
    };
    /** Restoring it fails for this reason, and the new volume never becomes a home. */
    const refusesToRestore = async (key: string, expected: ArchiveFacts, reason: string): Promise<void> => {
      const target = await emptyVolume(key.slice(0, 36));
      await expect(jobs.restore({ ...target, key, expected }, quiet)).rejects.toMatchObject({ reason });
      expect(await harness.volumes.identity(target.volume)).toBeNull();
      await expect(jobs.verify({ key, expected }, quiet)).rejects.toMatchObject({ reason });
    };

    it("archives a home, and restores it into a new volume as it was", async () => {
      const spec = await home();
      const before = await harness.fingerprint(spec.volume);
      const facts = await jobs.archive(spec, quiet);
      expect(facts.entryCount).toBeGreaterThan(1);
      expect(await store.head(spec.key)).toEqual({
        sizeBytes: facts.sizeBytes,
        meta: { ...facts, workspaceId: spec.workspaceId, attempt: spec.attempt, createdAt: expect.any(Number) },
      });
      await jobs.verify({ key: spec.key, expected: facts }, quiet);
      const target = await emptyVolume(spec.workspaceId);
      await jobs.restore({ ...target, key: spec.key, expected: facts }, quiet);
      expect(await harness.fingerprint(target.volume)).toBe(before);
      expect(await harness.fingerprint(spec.volume)).toBe(before);
      expect(await harness.volumes.identity(target.volume)).toEqual({
        workspaceId: spec.workspaceId,
        attempt: target.attempt,
        archiveKey: spec.key,
        manifestDigest: facts.manifestDigest,
      });
      // The restored home makes the same archive.
      const again = place(spec.workspaceId);
      const second = await jobs.archive({ ...again, volume: target.volume }, quiet);
      expect(second.manifestDigest).toBe(facts.manifestDigest);
    });

    it("uploads nothing again for the same attempt", async () => {
      const spec = await home();
      const facts = await jobs.archive(spec, quiet);
      let uploads = 0;
      const counting = harness.jobs({
        ...delegate(store),
        put: (...args) => {
          uploads++;
          return store.put(...args);
        },
        begin: () => {
          uploads++;
          return Promise.reject(new Error("nothing is to be sent"));
        },
      });
      expect(await counting.archive(spec, quiet)).toEqual(facts);
      expect(uploads).toBe(0);
    });

    it("uploads again when this attempt's object was never committed, or is damaged", async () => {
      const spec = await home();
      const facts = await jobs.archive(spec, quiet);
      await tamper(spec.key, (bytes) => bytes.subarray(0, bytes.length / 2));
      expect((await jobs.archive(spec, quiet)).manifestDigest).toBe(facts.manifestDigest);
      await store.remove(spec.key);
      await store.put(spec.key, Readable.from([Buffer.from("half an upload")]), never);
      expect((await jobs.archive(spec, quiet)).manifestDigest).toBe(facts.manifestDigest);
      await jobs.verify({ key: spec.key, expected: facts }, quiet);
    });

    it("archives no volume that is not this workspace's home", async () => {
      const spec = await home();
      const unsealed = await emptyVolume(spec.workspaceId);
      await expect(jobs.archive({ ...spec, volume: unsealed.volume }, quiet)).rejects.toMatchObject({
        reason: "ActionFailed",
      });
      const stranger = place(randomUUID());
      await expect(jobs.archive({ ...stranger, volume: spec.volume }, quiet)).rejects.toThrow(/belongs to/);
      expect(await store.head(spec.key)).toBeNull();
      expect(await store.head(stranger.key)).toBeNull();
    });

    it("makes an archive of a home that never existed, which restores to an empty home", async () => {
      const spec = place(randomUUID());
      const facts = await jobs.archiveEmpty(spec, quiet);
      expect(facts).toMatchObject({ entryCount: 0, contentBytes: 0 });
      const target = await emptyVolume(spec.workspaceId);
      const before = await harness.fingerprint(target.volume);
      await jobs.restore({ ...target, key: spec.key, expected: facts }, quiet);
      expect(await harness.fingerprint(target.volume)).toBe(before);
      expect((await harness.volumes.identity(target.volume))?.archiveKey).toBe(spec.key);
    });

    it("leaves a volume alone that is whole already", async () => {
      const [first, second] = [await home(), await home()];
      const facts = await jobs.archive(first, quiet);
      const target = await emptyVolume(first.workspaceId);
      await jobs.restore({ ...target, key: first.key, expected: facts }, quiet);
      const before = await harness.fingerprint(target.volume);
      await jobs.restore({ ...target, key: first.key, expected: facts }, quiet);
      expect(await harness.fingerprint(target.volume)).toBe(before);
      const untouched = await harness.fingerprint(second.volume);
      await expect(
        jobs.restore({ ...target, volume: second.volume, key: first.key, expected: facts }, quiet),
      ).rejects.toThrow(/already/);
      expect(await harness.fingerprint(second.volume)).toBe(untouched);
    });

    it("finds every kind of damage before anybody believes the archive", async () => {
      const spec = await home();
      const facts = await jobs.archive(spec, quiet);
      const other = await home();
      const otherFacts = await jobs.archive(other, quiet);
      const whole = await bytesOf(spec.key);
      const meta = (await store.head(spec.key))?.meta;
      if (!meta) throw new Error("no marker");

      await tamper(spec.key, (bytes) =>
        Buffer.from(bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte))),
      );
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      if (!everyDamage) return;
      await tamper(spec.key, () => whole.subarray(0, whole.length - 1));
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      await tamper(spec.key, () => Buffer.concat([whole, whole]));
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      const otherBytes = await bytesOf(other.key);
      await tamper(spec.key, () => otherBytes);
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      // One bit that no decoder looks at: it unfolds to the same home, and is still not what was stored.
      await tamper(spec.key, () => Buffer.from(whole.map((byte, i) => (i === 4 ? byte ^ 0x10 : byte))));
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      await tamper(spec.key, () => whole);

      // Its own bytes, and another archive's marker.
      await store.putMeta(spec.key, {
        ...otherFacts,
        workspaceId: other.workspaceId,
        attempt: other.attempt,
        createdAt: 1,
      });
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      await store.putMeta(spec.key, { ...meta, sha256: otherFacts.sha256 });
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      await store.putMeta(spec.key, meta);
      await jobs.verify({ key: spec.key, expected: facts }, quiet);

      await store.remove(spec.key);
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      await store.put(spec.key, Readable.from([whole]), never);
      await refusesToRestore(spec.key, facts, "ArchiveCorrupted");
      await store.putMeta(spec.key, meta);
      // What is recorded does not describe what is in the object, although every checksum of the object is right.
      await refusesToRestoreContent({ ...facts, manifestDigest: "0".repeat(64) });
      await refusesToRestoreContent({ ...facts, entryCount: facts.entryCount - 1 });
      await refusesToRestoreContent({ ...facts, contentBytes: facts.contentBytes - 1 });

      async function refusesToRestoreContent(wrong: ArchiveFacts): Promise<void> {
        await store.putMeta(spec.key, { ...wrong, workspaceId: spec.workspaceId, attempt: spec.attempt, createdAt: 1 });
        const target = await emptyVolume(spec.workspaceId);
        await expect(jobs.restore({ ...target, key: spec.key, expected: wrong }, quiet)).rejects.toThrow();
        expect(await harness.volumes.identity(target.volume)).toBeNull();
        await expect(jobs.verify({ key: spec.key, expected: wrong }, quiet)).rejects.toMatchObject({
          reason: "ArchiveCorrupted",
        });
      }
    });

    it("refuses an archive of a newer format", async () => {
      const spec = await home();
      const facts = await jobs.archive(spec, quiet);
      const newer = { ...facts, formatVersion: 999 };
      await store.putMeta(spec.key, { ...newer, workspaceId: spec.workspaceId, attempt: spec.attempt, createdAt: 1 });
      const target = await emptyVolume(spec.workspaceId);
      await expect(jobs.restore({ ...target, key: spec.key, expected: newer }, quiet)).rejects.toThrow(/upgrade/);
      await expect(jobs.restore({ ...target, key: spec.key, expected: facts }, quiet)).rejects.toThrow();
      expect(await harness.volumes.identity(target.volume)).toBeNull();
    });

    it("does not believe a store that keeps something else than it was given", async () => {
      const spec = await home();
      const before = await harness.fingerprint(spec.volume);
      const lying = harness.jobs({
        ...delegate(store),
        put: async (key, body, signal) => {
          const bytes = await buffer(body);
          const cut = await store.put(key, Readable.from([bytes.subarray(0, bytes.length - 100)]), signal);
          return { ...cut, sizeBytes: bytes.length };
        },
        complete: async (...args) => {
          await store.complete?.(...args);
          await tamper(spec.key, (bytes) => bytes.subarray(0, bytes.length - 100));
        },
      });
      await expect(lying.archive(spec, quiet)).rejects.toMatchObject({ reason: "ActionFailed" });
      expect(await store.head(spec.key)).toBeNull();
      expect(await harness.fingerprint(spec.volume)).toBe(before);
    });

    it("goes through short outages of the store by itself, and says so when they last", async () => {
      const spec = await home();
      let outages = 2;
      const flaky = harness.jobs({
        ...delegate(store),
        head: (key) => (outages-- > 0 ? Promise.reject(unreachable()) : store.head(key)),
      });
      const facts = await flaky.archive(spec, quiet);
      let runs = 0;
      const down = harness.jobs({
        ...delegate(store),
        head: (key) => {
          runs++;
          return store.head(key);
        },
        get: () => Promise.reject(unreachable()),
        signRead: () => Promise.reject(unreachable()),
      });
      const target = await emptyVolume(spec.workspaceId);
      await expect(down.restore({ ...target, key: spec.key, expected: facts }, quiet)).rejects.toMatchObject({
        reason: "Unreachable",
      });
      expect(runs).toBe(3);
      // The volume that was begun is good for another try.
      await jobs.restore({ ...target, key: spec.key, expected: facts }, quiet);
      expect(await harness.fingerprint(target.volume)).toBe(await harness.fingerprint(spec.volume));
    });

    it("runs once when it fails for any other reason", async () => {
      const spec = await home();
      let runs = 0;
      const refusing = harness.jobs({
        ...delegate(store),
        put: (_key, body) => {
          runs++;
          body.destroy();
          return Promise.reject(new OperationFailure("ActionFailed", "no"));
        },
        begin: () => {
          runs++;
          return Promise.reject(new OperationFailure("ActionFailed", "no"));
        },
      });
      await expect(refusing.archive(spec, quiet)).rejects.toMatchObject({ reason: "ActionFailed" });
      expect(runs).toBe(1);
    });

    it("is found by its workspace while it runs, ended with everything it started, and leaves nothing", async () => {
      const spec = await home();
      const stalled = stallingStore(store, harness.host ?? "127.0.0.1");
      const running = harness.jobs(stalled.store).archive(spec, quiet);
      const ended = expect(running).rejects.toMatchObject({ reason: "ActionFailed" });
      await stalled.reached;
      expect(await jobs.find(spec.workspaceId)).toEqual([spec.attempt]);
      expect(await jobs.find(randomUUID())).toEqual([]);
      await jobs.end(spec.workspaceId);
      expect(await jobs.find(spec.workspaceId)).toEqual([]);
      await ended;
      expect(await store.head(spec.key)).toBeNull();
      await jobs.end(spec.workspaceId);
    });

    it("is gone when an abort has been answered", async () => {
      const spec = await home();
      const stalled = stallingStore(store, harness.host ?? "127.0.0.1");
      const control = new AbortController();
      const running = harness.jobs(stalled.store).archive(spec, { ...quiet, signal: control.signal });
      const ended = expect(running).rejects.toThrow();
      await stalled.reached;
      control.abort();
      await ended;
      expect(await jobs.find(spec.workspaceId)).toEqual([]);
      expect(await store.head(spec.key)).toBeNull();
    });

    it("tells how far it is, never backwards within a step", async () => {
      const spec = await home();
      const seen: Progress[] = [];
      const facts = await jobs.archive(spec, { signal: never, onProgress: (progress) => seen.push(progress) });
      expect(seen.length).toBeGreaterThan(0);
      for (const [i, progress] of seen.entries()) {
        const before = seen[i - 1];
        expect(progress.doneBytes).toBeLessThanOrEqual(facts.contentBytes);
        expect(progress.doneFiles).toBeLessThanOrEqual(facts.entryCount);
        if (before?.step === progress.step) expect(progress.doneBytes).toBeGreaterThanOrEqual(before.doneBytes);
      }
    });
  });
}

const unreachable = (): Error => new OperationFailure("Unreachable", "the store is down");

/** Every method of a store, so that a test can replace one of them; without its files, which would pass it by. */
export function delegate(store: ArchiveStore): ArchiveStore {
  return {
    storeId: () => store.storeId(),
    head: (key) => store.head(key),
    put: (key, body, signal) => store.put(key, body, signal),
    putMeta: (key, meta) => store.putMeta(key, meta),
    get: (key, signal) => store.get(key, signal),
    remove: (key) => store.remove(key),
    list: () => store.list(),
    abortStaleUploads: (olderThanMs) => store.abortStaleUploads(olderThanMs),
    readGeneration: () => store.readGeneration(),
    writeGeneration: (generation) => store.writeGeneration(generation),
    ...(hasDirect(store) ? direct(store) : {}),
  };
}

const hasDirect = (store: ArchiveStore): store is ArchiveStore & DirectUploads => store.begin !== undefined;

const direct = (store: DirectUploads): DirectUploads => ({
  begin: (key) => store.begin(key),
  sign: (key, upload, parts, validSeconds) => store.sign(key, upload, parts, validSeconds),
  complete: (key, upload, parts, sizeBytes) => store.complete(key, upload, parts, sizeBytes),
  abort: (key, upload) => store.abort(key, upload),
  signRead: (key, validSeconds) => store.signRead(key, validSeconds),
});

/** A store that takes the first bytes of an upload and then waits until the body is destroyed, or the sender ends. */
function stallingStore(store: ArchiveStore, host: string): { store: ArchiveStore; reached: Promise<void> } {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const silent = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => resolve());
  }).unref();
  const stalling: ArchiveStore = {
    ...delegate(store),
    put: (_key, body, signal) =>
      new Promise((_, reject) => {
        body.once("error", reject);
        body.once("close", () => reject(new Error("the body was closed")));
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        body.once("readable", () => resolve());
      }),
    sign: async (_key, _upload, parts) => {
      await once(silent.listen(0, "0.0.0.0"), "listening");
      const { port } = silent.address() as AddressInfo;
      return Array.from({ length: parts }, () => `http://${host}:${port}/part`);
    },
  };
  return { store: stalling, reached };
}

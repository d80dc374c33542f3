import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { archiveKey } from "#core/rows/names.ts";
import type { ArchiveMeta, ArchiveStore, DirectUploads } from "#ports/archives.ts";

/** A store under test, and the hands to do what the port does not: look at it as another process, or break it. */
export interface ArchiveStoreHarness {
  readonly store: ArchiveStore;
  /** The same place, opened again. */
  readonly reopened: () => Promise<ArchiveStore>;
  /** Opens the same place for another deployment; absent where places are never shared. */
  readonly stranger?: () => Promise<ArchiveStore>;
  /** Puts an object that is none of ours beside the archives. */
  readonly addForeignObject?: () => Promise<void>;
  /** How many uploads were begun and neither finished nor aborted. */
  readonly unfinishedUploads?: () => Promise<number>;
  /** Leaves an upload as a killed process does. */
  readonly leaveUnfinishedUpload?: () => Promise<void>;
  /** Takes the object away and leaves its commit marker. */
  readonly leaveLoneMarker: (key: string) => Promise<void>;
  /** Puts another store of the same deployment in this one's place, and opens it. */
  readonly replaced?: () => Promise<ArchiveStore>;
  /** Takes the place away, as an unmounted disk or a removed bucket; `close` must still work. */
  readonly vanish?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const never = new AbortController().signal;
function freshKey(): { key: string; workspaceId: string; attempt: string } {
  const [workspaceId, attempt] = [randomUUID(), randomUUID()];
  return { key: archiveKey(workspaceId, attempt), workspaceId, attempt };
}
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const DIRECT_CHANGES = (key: string): [string, (store: ArchiveStore) => Promise<unknown>][] => [
  ["begin", async (one) => await one.begin?.(key)],
  ["sign", async (one) => await one.sign?.(key, "upload", 1, 60)],
  ["complete", async (one) => await one.complete?.(key, "upload", 1, 1)],
  ["abort", async (one) => await one.abort?.(key, "upload")],
  ["signRead", async (one) => await one.signRead?.(key, 60)],
];

/** Its methods, each to be called by itself. */
function bound(store: ArchiveStore & DirectUploads): DirectUploads & Pick<ArchiveStore, "head"> {
  return {
    begin: (...args) => store.begin(...args),
    sign: (...args) => store.sign(...args),
    complete: (...args) => store.complete(...args),
    abort: (...args) => store.abort(...args),
    signRead: (...args) => store.signRead(...args),
    head: (...args) => store.head(...args),
  };
}

/** What every archive store promises. */
export function archiveStoreSuite(name: string, make: () => Promise<ArchiveStoreHarness>): void {
  describe(`archive store: ${name}`, () => {
    let harness: ArchiveStoreHarness;
    let store: ArchiveStore;
    beforeAll(async () => {
      harness = await make();
      store = harness.store;
    });
    afterAll(async () => {
      await harness?.close();
    });
    const put = (key: string, bytes: Buffer) => store.put(key, Readable.from([bytes]), never);
    const metaOf = (place: ReturnType<typeof freshKey>, bytes: Buffer): ArchiveMeta => ({
      workspaceId: place.workspaceId,
      attempt: place.attempt,
      createdAt: 1_700_000_000_000,
      sha256: sha256(bytes),
      sizeBytes: bytes.length,
      contentBytes: 5,
      entryCount: 2,
      manifestDigest: "d".repeat(64),
      skippedSockets: 1,
      formatVersion: 1,
    });

    // Empty, small, larger than one part of a multipart upload, and larger than several.
    for (const size of [0, 1, 100_000, 9 * 2 ** 20, 33 * 2 ** 20 + 7]) {
      it(`gives back the ${size} bytes it was given, with their checksum`, async () => {
        const { key } = freshKey();
        const bytes = randomBytes(size);
        const chunks = Array.from({ length: Math.ceil(size / 70_001) }, (_, i) =>
          bytes.subarray(i * 70_001, (i + 1) * 70_001),
        );
        expect(await store.put(key, Readable.from(chunks), never)).toEqual({ sizeBytes: size, sha256: sha256(bytes) });
        const found = await store.get(key, never);
        expect(found.sizeBytes).toBe(size);
        expect(sha256(await buffer(found.body))).toBe(sha256(bytes));
        const file = await store.openFile?.(key);
        if (file === undefined) return;
        expect(sha256(readFileSync(file.fd))).toBe(sha256(bytes));
        await file.close();
        expect(file.fd).toBeLessThan(0);
      });
    }

    it("shows an object without its marker as not committed, and with it as committed", async () => {
      const place = freshKey();
      const bytes = randomBytes(1000);
      expect(await store.head(place.key)).toBeNull();
      await put(place.key, bytes);
      expect(await store.head(place.key)).toEqual({ sizeBytes: 1000, meta: null });
      const meta = metaOf(place, bytes);
      await store.putMeta(place.key, meta);
      expect(await store.head(place.key)).toEqual({ sizeBytes: 1000, meta });
      expect(await (await harness.reopened()).head(place.key)).toEqual({ sizeBytes: 1000, meta });
    });

    it("refuses to overwrite, and what was there stays", async () => {
      const { key } = freshKey();
      await put(key, Buffer.from("first"));
      await expect(put(key, Buffer.from("second"))).rejects.toThrow(/exists already/);
      expect(String(await buffer((await store.get(key, never)).body))).toBe("first");
    });

    it("rejects the reading of an object that is not there", async () => {
      await expect(store.get(freshKey().key, never)).rejects.toThrow();
      if (store.openFile !== undefined) await expect(store.openFile(freshKey().key)).rejects.toThrow();
    });

    it("takes no key that is not an archive's", async () => {
      for (const key of ["../x", "/etc/passwd", "a/b", "", `${randomUUID()}/${randomUUID()}/../home.tar.zst`]) {
        await expect(store.head(key)).rejects.toThrow(/not the key/);
        await expect(put(key, Buffer.from("x"))).rejects.toThrow(/not the key/);
        await expect(store.remove(key)).rejects.toThrow(/not the key/);
      }
    });

    it("leaves nothing of an upload whose body fails", async () => {
      const { key } = freshKey();
      async function* failing(): AsyncGenerator<Buffer> {
        for (let i = 0; i < 12; i++) yield randomBytes(2 ** 20);
        throw new Error("the producer died");
      }
      await expect(store.put(key, Readable.from(failing()), never)).rejects.toThrow(/the producer died/);
      expect(await store.head(key)).toBeNull();
      if (harness.unfinishedUploads) expect(await harness.unfinishedUploads()).toBe(0);
    });

    it("leaves nothing of an upload that is aborted while it waits for bytes", async () => {
      const { key } = freshKey();
      const control = new AbortController();
      const body = new PassThrough();
      const putting = store.put(key, body, control.signal);
      putting.catch(() => {});
      for (let i = 0; i < 20; i++) if (!body.write(randomBytes(2 ** 20))) await once(body, "drain");
      control.abort();
      await expect(putting).rejects.toThrow();
      expect(await store.head(key)).toBeNull();
      if (harness.unfinishedUploads) expect(await harness.unfinishedUploads()).toBe(0);
    });

    it("ends a download that is aborted", async () => {
      const { key } = freshKey();
      await put(key, randomBytes(12 * 2 ** 20));
      const control = new AbortController();
      const { body } = await store.get(key, control.signal);
      await expect(
        (async () => {
          for await (const _ of body) control.abort();
        })(),
      ).rejects.toThrow();
    });

    it("gives a download that was aborted before anybody read it to nobody, and harms nothing", async () => {
      const { key } = freshKey();
      await put(key, randomBytes(2 ** 20));
      const readLate = async (signal: AbortSignal, stop: () => void): Promise<Buffer> => {
        const { body } = await store.get(key, signal);
        stop();
        // An error that nobody listens to ends the process. A store that reads only when it is asked has nothing to close.
        if (body.destroyed && !body.closed) await new Promise<void>((closed) => body.once("close", closed));
        return await buffer(body);
      };
      const control = new AbortController();
      await expect(readLate(control.signal, () => control.abort())).rejects.toThrow();
      await expect(readLate(AbortSignal.abort(), () => {})).rejects.toThrow();
    });

    describe("uploads that others send", () => {
      const direct = (skip: (note: string) => never): ArchiveStore & DirectUploads => {
        if (store.begin === undefined) skip("this store gives out no addresses");
        return store as ArchiveStore & DirectUploads;
      };
      const send = (address: string, bytes: Buffer) => fetch(address, { method: "PUT", body: new Uint8Array(bytes) });
      const sent = async (addresses: readonly string[], parts: readonly Buffer[]): Promise<number> => {
        for (const [i, bytes] of parts.entries()) {
          const answer = await send(addresses[i] ?? "", bytes);
          expect(answer.status).toBe(200);
        }
        return parts.length;
      };
      const parts = () => [randomBytes(5 * 2 ** 20), randomBytes(5 * 2 ** 20), randomBytes(777)];

      it("become one object, which can be read by an address too, and is not committed by that", async ({ skip }) => {
        const { begin, sign, complete, signRead, head } = bound(direct(skip));
        const { key } = freshKey();
        const bytes = parts();
        const upload = await begin(key);
        const addresses = await sign(key, upload, 5, 600);
        expect(addresses).toHaveLength(5);
        const count = await sent(addresses, bytes);
        expect(await head(key)).toBeNull();
        const whole = Buffer.concat(bytes);
        await complete(key, upload, count, whole.length);
        // The answer may have been lost: done already is fine.
        await complete(key, upload, count, whole.length);
        expect(await head(key)).toEqual({ sizeBytes: whole.length, meta: null });
        const read = await fetch(await signRead(key, 600));
        expect(sha256(Buffer.from(await read.arrayBuffer()))).toBe(sha256(whole));
        const later = await send(addresses[0] ?? "", Buffer.from("changed"));
        expect(later.ok).toBe(false);
        expect((await head(key))?.sizeBytes).toBe(whole.length);
      });

      it("take an address for what it says and for nothing else, and only for a while", async ({ skip }) => {
        const { begin, sign, signRead, abort } = bound(direct(skip));
        const [{ key }, other] = [freshKey(), freshKey()];
        await put(other.key, Buffer.from("another home"));
        const upload = await begin(key);
        const [address = ""] = await sign(key, upload, 1, 600);
        const reading = await signRead(key, 600);
        const bytes = Buffer.from("x");
        const changed = (from: string, what: string, to: string): string => {
          expect(from).toContain(what);
          return from.replace(what, to);
        };
        const wrong: readonly [string, string, string][] = [
          ["another part", "PUT", changed(address, "partNumber=1", "partNumber=2")],
          ["another upload", "PUT", changed(address, "uploadId=", "uploadId=x")],
          ["the whole object", "PUT", address.replace(/&(partNumber|uploadId)=[^&]*/g, "")],
          ["another object", "PUT", changed(address, key, other.key)],
          ["reading by an address for writing", "GET", address],
          ["removing", "DELETE", address],
          ["reading another object", "GET", changed(reading, key, other.key)],
          ["writing by an address for reading", "PUT", reading],
          ["for longer", "PUT", changed(address, "X-Amz-Expires=600", "X-Amz-Expires=6000")],
        ];
        for (const [name, method, to] of wrong) {
          const answer = await fetch(to, { method, ...(method === "PUT" ? { body: new Uint8Array(bytes) } : {}) });
          expect(answer.status, name).toBe(403);
        }
        const [short = ""] = await sign(key, upload, 1, 1);
        await vi.waitFor(async () => expect((await send(short, bytes)).status).toBe(403), {
          timeout: 20_000,
          interval: 500,
        });
        expect((await send(address, bytes)).status).toBe(200);
        await abort(key, upload);
      });

      it("leave nothing when they are aborted, are not whole, or would overwrite", async ({ skip }) => {
        const { begin, sign, complete, abort, head } = bound(direct(skip));
        const [one, cut, late] = [freshKey(), freshKey(), freshKey()];
        const upload = await begin(one.key);
        const [address = ""] = await sign(one.key, upload, 1, 600);
        await send(address, Buffer.from("x"));
        await abort(one.key, upload);
        await abort(one.key, upload);
        expect((await send(address, Buffer.from("x"))).status).toBe(404);

        const bytes = parts();
        const shorter = await begin(cut.key);
        const count = await sent(await sign(cut.key, shorter, 3, 600), bytes);
        const size = Buffer.concat(bytes).length;
        await expect(complete(cut.key, shorter, count - 1, size)).rejects.toMatchObject({
          reason: "ActionFailed",
        });
        expect(await head(cut.key)).toBeNull();
        await expect(complete(cut.key, shorter, count, size)).rejects.toThrow();

        const missing = freshKey();
        const gap = await begin(missing.key);
        await sent(await sign(missing.key, gap, 3, 600), bytes.slice(0, 2));
        await expect(complete(missing.key, gap, 3, size)).rejects.toThrow(/no part 3 of the 3/);
        expect(await head(missing.key)).toBeNull();

        const second = await begin(late.key);
        const found = await sent(await sign(late.key, second, 1, 600), [Buffer.from("second")]);
        await put(late.key, Buffer.from("first"));
        await expect(begin(late.key)).rejects.toThrow(/exists already/);
        await expect(complete(late.key, second, found, 6)).rejects.toThrow(/exists already/);
        expect(String(await buffer((await store.get(late.key, never)).body))).toBe("first");
        if (harness.unfinishedUploads) expect(await harness.unfinishedUploads()).toBe(0);
      });
    });

    it("removes object and marker, and what is not there too", async () => {
      const place = freshKey();
      const bytes = randomBytes(10);
      await put(place.key, bytes);
      await store.putMeta(place.key, metaOf(place, bytes));
      await store.remove(place.key);
      expect(await store.head(place.key)).toBeNull();
      expect((await store.list()).map(({ key }) => key)).not.toContain(place.key);
      await store.remove(place.key);
    });

    it("tells a marker whose object is gone by the object's key, and removes it", async () => {
      const place = freshKey();
      const bytes = randomBytes(10);
      await put(place.key, bytes);
      await store.putMeta(place.key, metaOf(place, bytes));
      await harness.leaveLoneMarker(place.key);
      expect(await store.head(place.key)).toBeNull();
      const find = async () => (await store.list()).find(({ key }) => key === place.key);
      expect(await find()).toEqual({ key: place.key, sizeBytes: 0, ageMs: expect.any(Number) });
      await store.remove(place.key);
      expect(await find()).toBeUndefined();
      // The marker itself is gone: an object that comes to lie here is not committed by it.
      await put(place.key, bytes);
      expect(await store.head(place.key)).toEqual({ sizeBytes: 10, meta: null });
    });

    it("lists objects, committed or not, with ages by its own clock, and nothing removed or foreign", async () => {
      const [committed, bare, gone] = [freshKey(), freshKey(), freshKey()];
      const bytes = randomBytes(123);
      await put(committed.key, bytes);
      await store.putMeta(committed.key, metaOf(committed, bytes));
      await put(bare.key, bytes);
      await put(gone.key, bytes);
      await store.remove(gone.key);
      if (harness.addForeignObject) await harness.addForeignObject();
      const listed = new Map((await store.list()).map((seen) => [seen.key, seen]));
      expect(listed.get(committed.key)?.sizeBytes).toBe(123);
      expect(listed.get(bare.key)?.sizeBytes).toBe(123);
      expect(listed.has(gone.key)).toBe(false);
      for (const { key, ageMs } of listed.values()) {
        expect(key).toMatch(/^[0-9a-f-]{36}\/[0-9a-f-]{36}\/home\.tar\.zst$/);
        expect(ageMs).toBeGreaterThanOrEqual(0);
        expect(ageMs).toBeLessThan(600_000);
      }
    });

    it("aborts uploads that were left behind, and only old ones", async () => {
      if (!harness.leaveUnfinishedUpload || !harness.unfinishedUploads) return;
      await harness.leaveUnfinishedUpload();
      expect(await store.abortStaleUploads(3_600_000)).toBe(0);
      expect(await harness.unfinishedUploads()).toBe(1);
      expect(await store.abortStaleUploads(0)).toBe(1);
      expect(await harness.unfinishedUploads()).toBe(0);
    });

    it("keeps the generation beside the data", async () => {
      expect(await store.readGeneration()).toBe(0);
      await store.writeGeneration(41);
      await store.writeGeneration(42);
      expect(await store.readGeneration()).toBe(42);
      expect(await (await harness.reopened()).readGeneration()).toBe(42);
    });

    it("has one identity for as long as it exists", async () => {
      const id = await store.storeId();
      expect(id).not.toBe("");
      expect(await (await harness.reopened()).storeId()).toBe(id);
    });

    it("belongs to one deployment", async () => {
      if (!harness.stranger) return;
      await expect(harness.stranger()).rejects.toThrow(/another CodeHub deployment/);
    });

    it("changes nothing in another store that lies in its place", async () => {
      const own = await make();
      try {
        if (!own.replaced) return;
        const [place, fresh] = [freshKey(), freshKey()];
        const bytes = randomBytes(10);
        const other = await own.replaced();
        await other.put(place.key, Readable.from([bytes]), never);
        await other.putMeta(place.key, metaOf(place, bytes));
        await other.writeGeneration(7);
        const changes: readonly [string, (store: ArchiveStore) => Promise<unknown>][] = [
          ["remove", (one) => one.remove(place.key)],
          ["put", (one) => one.put(fresh.key, Readable.from([bytes]), never)],
          ["putMeta", (one) => one.putMeta(place.key, { ...metaOf(place, bytes), entryCount: 99 })],
          ["writeGeneration", (one) => one.writeGeneration(8)],
          ["abortStaleUploads", (one) => one.abortStaleUploads(0)],
          ...(own.store.begin === undefined ? [] : DIRECT_CHANGES(fresh.key)),
        ];
        for (const [name, change] of changes) {
          await expect(change(own.store), name).rejects.toMatchObject({ reason: "Unreachable" });
        }
        expect(await other.head(place.key)).toEqual({ sizeBytes: 10, meta: metaOf(place, bytes) });
        expect((await other.list()).map(({ key }) => key)).toEqual([place.key]);
        expect(await other.readGeneration()).toBe(7);
      } finally {
        await own.close();
      }
    });

    it("is unreachable, and not empty, when its place is gone", async () => {
      if (!harness.vanish) return;
      const { key } = freshKey();
      await put(key, randomBytes(10));
      await harness.vanish();
      await expect(store.head(key)).rejects.toMatchObject({ reason: "Unreachable" });
      await expect(store.head(freshKey().key)).rejects.toMatchObject({ reason: "Unreachable" });
      await expect(store.list()).rejects.toMatchObject({ reason: "Unreachable" });
      await expect(store.storeId()).rejects.toMatchObject({ reason: "Unreachable" });
      await expect(store.readGeneration()).rejects.toMatchObject({ reason: "Unreachable" });
    });
  });
}

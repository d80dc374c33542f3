import { createHash } from "node:crypto";
import { addAbortSignal, Readable } from "node:stream";
import { parseArchiveKey } from "#core/rows/names.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { SimProcess } from "./process.ts";
import type { SimObject, World } from "./world.ts";

/** Object storage as one process sees it. Its clock is its own: only ages leave it. */
export function fakeArchives(world: World, process: SimProcess, storeId: string | null = null): ArchiveStore {
  const { sim } = world;
  const call = <T>(name: string, about: string, reads: boolean, effect: () => T, again?: () => void) =>
    sim.call<T>({
      process,
      port: "archives",
      name,
      about,
      reads,
      effect,
      fault: (why) => new OperationFailure("Unreachable", `The object store: ${why}.`),
      ...(again === undefined ? {} : { again }),
    });
  const opened = storeId ?? world.store.storeId;
  /** The adapters believe an absence only of the store that was recorded at first start, and change no other. */
  const absent = (): null => {
    if (world.store.storeId === opened) return null;
    throw new OperationFailure("Unreachable", "This is not the store that was opened.");
  };
  return {
    storeId: () => call("storeId", "", true, () => world.store.storeId),
    head: (key) =>
      call("head", short(key), true, () => {
        parse(key);
        const object = world.store.objects.get(key);
        return object === undefined || object.lone ? absent() : { sizeBytes: object.sizeBytes, meta: object.meta };
      }),
    put: async (key, body, signal) => {
      parse(key);
      const chunks: Buffer[] = [];
      for await (const chunk of addAbortSignal(signal, body)) chunks.push(Buffer.from(chunk as Uint8Array));
      return await call("put", short(key), false, () => {
        absent();
        if (world.store.objects.has(key))
          throw new OperationFailure("ActionFailed", `${key} exists already and is not overwritten.`);
        const bytes = Buffer.concat(chunks);
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        world.store.objects.set(key, { ...newObject(world, key), sizeBytes: bytes.length, sha256, bytes });
        world.changed();
        return { sizeBytes: bytes.length, sha256 };
      });
    },
    putMeta: (key, meta) =>
      call("putMeta", short(key), false, () => {
        parse(key);
        absent();
        const object = world.store.objects.get(key) ?? { ...newObject(world, key), lone: true };
        object.meta = meta;
        world.store.objects.set(key, object);
        world.changed();
      }),
    get: (key, signal) =>
      call("get", short(key), true, () => {
        const object = world.store.objects.get(key);
        if (object === undefined || object.lone) throw new OperationFailure("ArchiveCorrupted", `${key} is not there.`);
        const body = Readable.from(pieces(object.bytes ?? Buffer.alloc(0)));
        body.on("error", () => {});
        addAbortSignal(signal, body);
        return { body, sizeBytes: object.sizeBytes };
      }),
    remove: (key) => {
      const asked = { askedAt: sim.scheduler.now };
      const run = (): void => {
        parse(key);
        absent();
        world.store.removeObject(key, asked);
      };
      return call("remove", short(key), false, run, run);
    },
    list: () =>
      call("list", "", true, () => {
        absent();
        return [...world.store.objects.values()].map((object) => ({
          key: object.key,
          sizeBytes: object.sizeBytes,
          ageMs: sim.scheduler.now - object.bornAt,
        }));
      }),
    abortStaleUploads: (olderThanMs) =>
      call("abortStaleUploads", "", false, () => {
        absent();
        const stale = [...world.uploads].filter(([, upload]) => sim.scheduler.now - upload.begunAt > olderThanMs);
        for (const [id] of stale) world.uploads.delete(id);
        if (stale.length > 0) sim.sometimes("gc: a stale upload was aborted");
        return stale.length;
      }),
    readGeneration: () => call("readGeneration", "", true, () => world.store.storeGeneration),
    writeGeneration: (generation) =>
      call("writeGeneration", String(generation), false, () => {
        absent();
        world.store.storeGeneration = generation;
      }),
  };
}

export const newObject = (world: World, key: string): SimObject => ({
  key,
  workspaceId: key.slice(0, 36),
  content: "P",
  sizeBytes: 0,
  sha256: "",
  meta: null,
  bornAt: world.sim.scheduler.now,
  readBack: false,
  projects: new Set(),
  writers: new Set(),
  bytes: null,
  lone: false,
});

/** In the sizes in which a network hands them over. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function parse(key: string): void {
  if (parseArchiveKey(key) === null) throw new OperationFailure("ActionFailed", `${key} is not the key of an archive.`);
}

const short = (key: string): string => `${key.slice(0, 4)}/${key.slice(37, 45)}`;

import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { metaKey, parseArchiveKey } from "#core/rows/names.ts";
import { decodeBinding, decodeMarker, encodeMarker } from "#jobs/archive-marker.ts";
import type { ArchiveHead, ArchiveMeta, ArchiveStore, DirectUploads, ObjectSeen } from "#ports/archives.ts";
import { OperationFailure } from "#ports/failure.ts";
import { placeOf, signedAddress, signerOf } from "./addresses.ts";
import { asFailure, DEFAULT_TIMEOUT_MS, isTaken, makeClient, nameOf, type S3StoreOptions, statusOf } from "./client.ts";
import { download } from "./download.ts";
import { listObjects, listParts, listUploads } from "./listing.ts";
import { BINDING_KEY, bindBucket, checkAccess, GENERATION_KEY } from "./startup.ts";
import { upload } from "./upload.ts";

export type S3ArchiveStore = ArchiveStore & DirectUploads;

/** Opens the bucket after having tried it out: refuses one that cannot be used or belongs to another deployment. */
export async function openS3Store(options: S3StoreOptions): Promise<S3ArchiveStore & { readonly close: () => void }> {
  const client = makeClient(options);
  try {
    const { conditional } = await checkAccess(client, options.bucket);
    const found = await bindBucket(client, options, conditional);
    return new S3Store(client, options, { conditional, storeId: options.storeId ?? found });
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/**
 * Another bucket may come to answer by the name of ours at any time, and nothing may be changed in it. So every change
 * asks first who answers: one read of a hundred bytes, beside a whole home's upload, a marker or a removal, of which
 * there are a few in a second at most. It is not remembered between calls: what was ours a minute ago proves nothing.
 * An upload takes long and is asked about before it begins; its marker, which alone makes it an archive, is again.
 */
class S3Store implements S3ArchiveStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #timeoutMs: number;
  readonly #conditional: boolean;
  readonly #storeId: string;

  constructor(client: S3Client, options: S3StoreOptions, found: { conditional: boolean; storeId: string }) {
    this.#client = client;
    this.#bucket = options.bucket;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#conditional = found.conditional;
    this.#storeId = found.storeId;
  }

  close(): void {
    this.#client.destroy();
  }

  async storeId(): Promise<string> {
    const text = await this.#text(BINDING_KEY, "reading the store's identity");
    if (text === null) {
      throw new OperationFailure(
        "Unreachable",
        `the bucket ${this.#bucket} has lost ${BINDING_KEY}: is it another one?`,
      );
    }
    return decodeBinding(text, `${this.#bucket}/${BINDING_KEY}`).storeId;
  }

  async head(key: string): Promise<ArchiveHead | null> {
    assertKey(key);
    const sizeBytes = await this.#size(key);
    if (sizeBytes === null) {
      // Without its bucket an object is not absent but unseen, and a HEAD does not tell the two apart.
      await this.#assertPresent();
      return null;
    }
    const marker = await this.#text(metaKey(key), "reading a commit marker");
    return { sizeBytes, meta: marker === null ? null : decodeMarker(marker) };
  }

  async put(key: string, body: Readable, signal: AbortSignal): Promise<{ sizeBytes: number; sha256: string }> {
    assertKey(key);
    const stop = () => body.destroy(new Error("the upload was aborted"));
    signal.addEventListener("abort", stop, { once: true });
    try {
      await this.#assertPresent();
      if ((await this.#size(key)) !== null) throw taken(key);
      const target = { client: this.#client, bucket: this.#bucket, key, conditional: this.#conditional };
      return await upload(target, body, signal);
    } catch (error) {
      body.destroy();
      signal.throwIfAborted();
      throw isTaken(error) ? taken(key) : asFailure("uploading an archive", error);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async begin(key: string): Promise<string> {
    assertKey(key);
    await this.#assertPresent();
    if ((await this.#size(key)) !== null) throw taken(key);
    try {
      const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(this.#at(key)));
      if (UploadId === undefined) throw new Error("the store began an upload without an id");
      return UploadId;
    } catch (error) {
      throw asFailure("beginning an upload", error);
    }
  }

  async sign(key: string, upload: string, parts: number, validSeconds: number): Promise<readonly string[]> {
    const numbers = Array.from({ length: parts }, (_, index) => String(index + 1));
    const allowed = numbers.map((partNumber) => ({ partNumber, uploadId: upload }));
    return await this.#addresses(key, "PUT", allowed, validSeconds);
  }

  async signRead(key: string, validSeconds: number): Promise<string> {
    const [address = ""] = await this.#addresses(key, "GET", [{}], validSeconds);
    return address;
  }

  async #addresses(
    key: string,
    method: "GET" | "PUT",
    queries: readonly Readonly<Record<string, string>>[],
    validSeconds: number,
  ): Promise<readonly string[]> {
    assertKey(key);
    await this.#assertPresent();
    try {
      const [place, signer] = await Promise.all([placeOf(this.#client, this.#bucket, key), signerOf(this.#client)]);
      const now = Date.now();
      return queries.map((query) => signedAddress(place, { method, query, validSeconds }, signer, now));
    } catch (error) {
      throw asFailure("signing addresses", error);
    }
  }

  async complete(key: string, upload: string, parts: number, sizeBytes: number): Promise<void> {
    assertKey(key);
    await this.#assertPresent();
    const there = await this.#size(key);
    if (there !== null) {
      // Done already, or somebody else's: then the upload is still open. Stores that ignore the condition below overwrite.
      if (there === sizeBytes && !(await this.#isOpen(key, upload))) return;
      await this.abort(key, upload);
      throw taken(key);
    }
    try {
      const Parts = await listParts(this.#client, { ...this.#at(key), UploadId: upload }, parts);
      const condition = this.#conditional ? { IfNoneMatch: "*" } : {};
      const request = { ...this.#at(key), UploadId: upload, MultipartUpload: { Parts }, ...condition };
      await this.#client.send(new CompleteMultipartUploadCommand(request));
    } catch (error) {
      // A repeated request finds that the first one had done it; then the object is there in its full size.
      const repeated = nameOf(error) === "NoSuchUpload" && (await this.#size(key)) === sizeBytes;
      if (repeated) return;
      await this.abort(key, upload);
      throw refusalOf(key, error);
    }
    const found = await this.#size(key);
    if (found === sizeBytes) return;
    await this.remove(key);
    throw new OperationFailure("ActionFailed", `${key} came to be ${found} bytes, and ${sizeBytes} were sent`);
  }

  async #isOpen(key: string, upload: string): Promise<boolean> {
    try {
      await this.#client.send(new ListPartsCommand({ ...this.#at(key), UploadId: upload, MaxParts: 1 }));
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw asFailure("looking for an upload", error);
    }
  }

  async abort(key: string, upload: string): Promise<void> {
    assertKey(key);
    await this.#assertPresent();
    try {
      await this.#client.send(new AbortMultipartUploadCommand({ ...this.#at(key), UploadId: upload }));
    } catch (error) {
      if (statusOf(error) !== 404) throw asFailure("aborting an upload", error);
    }
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }

  async putMeta(key: string, meta: ArchiveMeta): Promise<void> {
    assertKey(key);
    await this.#write(metaKey(key), encodeMarker(meta), "writing a commit marker");
  }

  async get(key: string, signal: AbortSignal): Promise<{ body: Readable; sizeBytes: number }> {
    assertKey(key);
    try {
      const source = { client: this.#client, bucket: this.#bucket, key, timeoutMs: this.#timeoutMs };
      return await download(source, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw asFailure("reading an archive", error);
    }
  }

  async remove(key: string): Promise<void> {
    assertKey(key);
    await this.#assertPresent();
    try {
      for (const name of [metaKey(key), key]) {
        await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: name }));
      }
    } catch (error) {
      throw asFailure("removing an archive", error);
    }
  }

  async list(): Promise<ObjectSeen[]> {
    await this.#assertPresent();
    try {
      return await listObjects(this.#client, this.#bucket);
    } catch (error) {
      throw asFailure("listing archives", error);
    }
  }

  async abortStaleUploads(olderThanMs: number): Promise<number> {
    await this.#assertPresent();
    try {
      const uploads = await listUploads(this.#client, this.#bucket);
      const stale = uploads.filter(({ ageMs }) => ageMs >= olderThanMs);
      for (const { key, uploadId } of stale) {
        const request = { Bucket: this.#bucket, Key: key, UploadId: uploadId };
        await this.#client.send(new AbortMultipartUploadCommand(request)).catch((error: unknown) => {
          if (statusOf(error) !== 404) throw error;
        });
      }
      return stale.length;
    } catch (error) {
      throw asFailure("looking for unfinished uploads", error);
    }
  }

  async readGeneration(): Promise<number> {
    const text = await this.#text(GENERATION_KEY, "reading the generation");
    if (text === null) {
      await this.#assertPresent();
      return 0;
    }
    const generation = Number(text);
    if (!Number.isSafeInteger(generation)) throw new Error(`${GENERATION_KEY} is not a number`);
    return generation;
  }

  async writeGeneration(generation: number): Promise<void> {
    await this.#write(GENERATION_KEY, `${generation}\n`, "writing the generation");
  }

  async #assertPresent(): Promise<void> {
    if ((await this.storeId()) !== this.#storeId) {
      throw new OperationFailure("Unreachable", `the bucket ${this.#bucket} is not the one that was opened`);
    }
  }

  async #size(key: string): Promise<number | null> {
    try {
      const found = await this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }));
      return found.ContentLength ?? 0;
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw asFailure("looking for an archive", error);
    }
  }

  async #text(key: string, doing: string): Promise<string | null> {
    try {
      // The client's own limit ends with the head; a body that stalls would never be over.
      const abortSignal = AbortSignal.timeout(2 * this.#timeoutMs);
      const found = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }), { abortSignal });
      return (await found.Body?.transformToString("utf-8")) ?? "";
    } catch (error) {
      if (statusOf(error) === 404 && (error as Error).name !== "NoSuchBucket") return null;
      throw asFailure(doing, error);
    }
  }

  async #write(key: string, text: string, doing: string): Promise<void> {
    await this.#assertPresent();
    try {
      await this.#client.send(new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: text }));
    } catch (error) {
      throw asFailure(doing, error);
    }
  }
}

function assertKey(key: string): void {
  if (parseArchiveKey(key) === null) throw new Error(`${JSON.stringify(key)} is not the key of an archive`);
}

/** A store that does not take these parts will not take them later either. */
function refusalOf(key: string, error: unknown): Error {
  if (isTaken(error)) return taken(key);
  if (statusOf(error) !== 400) return asFailure("completing an upload", error);
  const said = error instanceof Error ? error.message : String(error);
  return new OperationFailure("ActionFailed", `the store refused the parts of ${key}: ${said}`, { cause: error });
}

function taken(key: string): OperationFailure {
  return new OperationFailure("ActionFailed", `${key} exists already and is not overwritten`);
}

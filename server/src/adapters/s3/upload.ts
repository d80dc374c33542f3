import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { OperationFailure } from "#ports/failure.ts";
import { isTaken, nameOf } from "./client.ts";

/** Two parts on the way while a third fills: memory does not depend on the size of the home. */
const PARTS_ON_THE_WAY = 2;
const MIB = 2 ** 20;
const MAX_PARTS = 10_000;

/** Small parts at first; larger ones later, so that ten thousand of them, which is the limit, hold half a terabyte. */
export function partSize(index: number): number {
  return 8 * MIB * 2 ** Math.floor(index / 2000);
}

export interface Target {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
  /** The store honours If-None-Match, so that a key cannot be written twice even by two writers at once. */
  readonly conditional: boolean;
}

export interface Uploaded {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Streams a body into one object. When it fails or is aborted, no object and no parts are left. */
export async function upload(target: Target, body: Readable, signal: AbortSignal): Promise<Uploaded> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const parts = collectParts(body, (chunk) => {
    hash.update(chunk);
    sizeBytes += chunk.length;
  });
  const first = await parts.next();
  const firstPart = first.done === true ? Buffer.alloc(0) : first.value;
  const second = await parts.next();
  if (second.done === true) {
    const sha256 = hash.digest("hex");
    await putWhole(target, firstPart, sha256, signal);
    return { sizeBytes, sha256 };
  }
  const sending = new MultipartUpload(target, signal);
  try {
    await sending.begin();
    await sending.send(firstPart);
    await sending.send(second.value);
    for await (const part of parts) await sending.send(part);
    await sending.complete(sizeBytes);
  } catch (error) {
    await sending.abort();
    throw error;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Cuts a stream into parts, each in a buffer of its own that is dropped when it was sent. */
async function* collectParts(body: Readable, look: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  let index = 0;
  let part = Buffer.allocUnsafeSlow(partSize(index));
  let filled = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    look(chunk);
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, part.length - filled);
      chunk.copy(part, filled, at, at + taken);
      filled += taken;
      at += taken;
      if (filled < part.length) continue;
      yield part;
      index++;
      if (index >= MAX_PARTS) throw new OperationFailure("ActionFailed", "the archive is too large for the store");
      part = Buffer.allocUnsafeSlow(partSize(index));
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

async function putWhole(target: Target, bytes: Buffer, sha256: string, signal: AbortSignal): Promise<void> {
  const { client, bucket, key, conditional } = target;
  const place = { Bucket: bucket, Key: key };
  const condition = conditional ? { IfNoneMatch: "*" } : {};
  try {
    await client.send(new PutObjectCommand({ ...place, Body: bytes, ...condition }), { abortSignal: signal });
  } catch (error) {
    // The answer to a first try may have been lost, and the repeated request finds the object of the first.
    if (!isTaken(error)) throw error;
    const found = await client.send(new GetObjectCommand(place), { abortSignal: signal });
    const content = (await found.Body?.transformToByteArray()) ?? new Uint8Array();
    if (createHash("sha256").update(content).digest("hex") !== sha256) throw error;
  }
}

class MultipartUpload {
  readonly #target: Target;
  readonly #signal: AbortSignal;
  readonly #parts: CompletedPart[] = [];
  readonly #onTheWay = new Set<Promise<void>>();
  /** Ends parts that are on the way when another one has failed. */
  readonly #stop = new AbortController();
  #failed: unknown = null;
  #uploadId = "";
  #count = 0;

  constructor(target: Target, signal: AbortSignal) {
    this.#target = target;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  async begin(): Promise<void> {
    const { client } = this.#target;
    const answer = await client.send(new CreateMultipartUploadCommand(this.#place()), { abortSignal: this.#signal });
    if (answer.UploadId === undefined) throw new Error("the store began an upload without an id");
    this.#uploadId = answer.UploadId;
  }

  /** Resolves when there is room for another part, which is usually before this one has arrived. */
  async send(bytes: Buffer): Promise<void> {
    const number = ++this.#count;
    const sending = this.#sendPart(number, bytes)
      .catch((error: unknown) => {
        this.#failed ??= error;
        this.#stop.abort();
      })
      .finally(() => this.#onTheWay.delete(sending));
    this.#onTheWay.add(sending);
    if (this.#onTheWay.size >= PARTS_ON_THE_WAY) await Promise.race(this.#onTheWay);
    if (this.#failed !== null) throw this.#failed;
  }

  async complete(sizeBytes: number): Promise<void> {
    await Promise.all(this.#onTheWay);
    if (this.#failed !== null) throw this.#failed;
    const { client, conditional } = this.#target;
    const parts = this.#parts.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    const condition = conditional ? { IfNoneMatch: "*" } : {};
    const request = { ...this.#place(), UploadId: this.#uploadId, MultipartUpload: { Parts: parts }, ...condition };
    try {
      await client.send(new CompleteMultipartUploadCommand(request), { abortSignal: this.#signal });
    } catch (error) {
      // A repeated request finds that the first one had done it; then the object is there in its full size.
      if (nameOf(error) !== "NoSuchUpload" && !isTaken(error)) throw error;
      const found = await client.send(new HeadObjectCommand(this.#place()), { abortSignal: this.#signal });
      if (found.ContentLength !== sizeBytes) throw error;
    }
  }

  /** Parts cost money for ever if nobody takes them away. What stays after all is collected as a stale upload. */
  async abort(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#onTheWay);
    if (this.#uploadId === "") return;
    const { client } = this.#target;
    await client
      .send(new AbortMultipartUploadCommand({ ...this.#place(), UploadId: this.#uploadId }))
      // The failure that led here is the one to tell.
      .catch(() => {});
  }

  async #sendPart(number: number, bytes: Buffer): Promise<void> {
    const request = { ...this.#place(), UploadId: this.#uploadId, PartNumber: number, Body: bytes };
    const answer = await this.#target.client.send(new UploadPartCommand(request), { abortSignal: this.#signal });
    this.#parts.push({ PartNumber: number, ETag: answer.ETag });
  }

  #place(): { Bucket: string; Key: string } {
    return { Bucket: this.#target.bucket, Key: this.#target.key };
  }
}

import {
  type CompletedPart,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import { parseArchiveKey } from "#core/rows/names.ts";
import type { ObjectSeen } from "#ports/archives.ts";
import { OperationFailure } from "#ports/failure.ts";

/** Every archive's key. A page that says it is not the last and does not say how to go on makes the list worthless. */
export async function listObjects(client: S3Client, bucket: string): Promise<ObjectSeen[]> {
  const seen = new Map<string, ObjectSeen>();
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token });
    const clock = readServerClock(command.middlewareStack);
    const page: ListObjectsV2CommandOutput = await client.send(command);
    const now = clock();
    for (const { Key: name = "", Size: size = 0, LastModified: modified } of page.Contents ?? []) {
      const isMarker = name.endsWith(".meta");
      const key = isMarker ? name.slice(0, -".meta".length) : name;
      if (parseArchiveKey(key) === null || modified === undefined) continue;
      // A marker stands in for its object only while the object was not seen.
      if (isMarker && seen.has(key)) continue;
      seen.set(key, { key, sizeBytes: isMarker ? 0 : size, ageMs: Math.max(0, now - modified.getTime()) });
    }
    token = page.NextContinuationToken;
    if (page.IsTruncated === true && token === undefined) throw new Error("the list of objects is incomplete");
    if (page.IsTruncated !== true) token = undefined;
  } while (token !== undefined);
  return [...seen.values()];
}

export interface UploadSeen {
  readonly key: string;
  readonly uploadId: string;
  readonly ageMs: number;
}

export async function listUploads(client: S3Client, bucket: string): Promise<UploadSeen[]> {
  const seen: UploadSeen[] = [];
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (marker !== null) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, ...marker });
    const clock = readServerClock(command.middlewareStack);
    const page: ListMultipartUploadsCommandOutput = await client.send(command);
    const now = clock();
    for (const { Key: key = "", UploadId: uploadId = "", Initiated: begun } of page.Uploads ?? []) {
      if (parseArchiveKey(key) === null || begun === undefined) continue;
      seen.push({ key, uploadId, ageMs: Math.max(0, now - begun.getTime()) });
    }
    marker = nextMarker(page);
  }
  return seen;
}

/** The parts 1 to `count` of an upload, as the store has them. Whether they are the ones that were meant, their size tells. */
export async function listParts(
  client: S3Client,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
  count: number,
): Promise<CompletedPart[]> {
  const tags = new Map<number, string>();
  let marker: string | undefined;
  do {
    const command = new ListPartsCommand({ ...upload, PartNumberMarker: marker });
    const page: ListPartsCommandOutput = await client.send(command);
    for (const { PartNumber: number = 0, ETag: tag = "" } of page.Parts ?? []) tags.set(number, tag);
    marker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
    if (page.IsTruncated === true && marker === undefined) throw new Error("the list of parts is incomplete");
  } while (marker !== undefined);
  return Array.from({ length: count }, (_, index) => {
    const ETag = tags.get(index + 1);
    if (ETag !== undefined) return { PartNumber: index + 1, ETag };
    throw new OperationFailure("ActionFailed", `the store has no part ${index + 1} of the ${count} that were sent`);
  });
}

function nextMarker(page: ListMultipartUploadsCommandOutput): { KeyMarker?: string; UploadIdMarker?: string } | null {
  if (page.IsTruncated !== true) return null;
  if (page.NextKeyMarker === undefined) throw new Error("the list of uploads is incomplete");
  const upload = page.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker };
  return { KeyMarker: page.NextKeyMarker, ...upload };
}

interface Stack {
  readonly add: (
    middleware: (next: (args: never) => Promise<{ response: unknown }>) => (args: never) => Promise<never>,
    options: { step: "deserialize" },
  ) => void;
}

/**
 * Ages are measured by the store's own clock, which every answer carries: a clock of ours that is wrong by hours must
 * not make young objects old.
 */
function readServerClock(stack: object): () => number {
  let date: string | undefined;
  (stack as Stack).add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers?: Record<string, string> }).headers?.["date"];
      return result as never;
    },
    { step: "deserialize" },
  );
  return () => {
    const now = Date.parse(date ?? "");
    if (Number.isNaN(now)) throw new Error("the store's answer has no date");
    return now;
  };
}

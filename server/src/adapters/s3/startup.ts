import { randomUUID } from "node:crypto";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { assertOurs, decodeBinding, encodeBinding } from "#jobs/archive-marker.ts";
import { asFailure, isTaken, statusOf } from "./client.ts";

/** Everything that is not an archive has keys that no archive can have. */
const OWN = ".codehub";
export const BINDING_KEY = `${OWN}/store.json`;
export const GENERATION_KEY = `${OWN}/generation`;

/**
 * Writes, reads, and removes a small object, so that missing rights and a store that only pretends are found at start
 * and not when the first home is archived. Also learns whether the store can refuse to overwrite.
 */
export async function checkAccess(client: S3Client, bucket: string): Promise<{ conditional: boolean }> {
  const key = `${OWN}/canary-${randomUUID()}`;
  const place = { Bucket: bucket, Key: key };
  const content = randomUUID();
  await step("writing a test object to", bucket, () => client.send(new PutObjectCommand({ ...place, Body: content })));
  await step("reading a test object from", bucket, async () => {
    const found = await client.send(new GetObjectCommand(place));
    const text = await found.Body?.transformToString("utf-8");
    if (text !== content) throw new Error("it does not have the content that was written");
  });
  const conditional = await refusesToOverwrite(client, place);
  await step("removing a test object from", bucket, async () => {
    await client.send(new DeleteObjectCommand(place));
    const gone = await client.send(new HeadObjectCommand(place)).then(
      () => false,
      (error: unknown) => {
        if (statusOf(error) === 404) return true;
        throw error;
      },
    );
    if (!gone) throw new Error("it is still there: does the bucket keep or lock its objects?");
  });
  return { conditional };
}

async function refusesToOverwrite(client: S3Client, place: { Bucket: string; Key: string }): Promise<boolean> {
  try {
    await client.send(new PutObjectCommand({ ...place, Body: "overwritten", IfNoneMatch: "*" }));
  } catch (error) {
    if (isTaken(error)) return true;
    // A store that does not know the condition at all says "not implemented" or "bad request".
    if (statusOf(error) !== 501 && statusOf(error) !== 400) throw asFailure("testing conditional writes", error);
  }
  return false;
}

/** The bucket's identity; written at first start, and never over one that is there. */
export async function bindBucket(
  client: S3Client,
  options: { bucket: string; deploymentId: string },
  conditional: boolean,
): Promise<string> {
  const { bucket, deploymentId } = options;
  const place = { Bucket: bucket, Key: BINDING_KEY };
  const read = async (): Promise<string | null> => {
    try {
      const found = await client.send(new GetObjectCommand(place));
      return (await found.Body?.transformToString("utf-8")) ?? "";
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw asFailure(`reading ${BINDING_KEY}`, error);
    }
  };
  let text = await read();
  if (text === null) {
    const body = encodeBinding({ storeId: randomUUID(), deploymentId });
    const condition = conditional ? { IfNoneMatch: "*" } : {};
    await client.send(new PutObjectCommand({ ...place, Body: body, ...condition })).catch((error: unknown) => {
      if (!isTaken(error)) throw asFailure(`writing ${BINDING_KEY}`, error);
    });
    text = await read();
  }
  const binding = decodeBinding(text ?? "", `${bucket}/${BINDING_KEY}`);
  assertOurs(binding, deploymentId, `the bucket ${bucket}`);
  return binding.storeId;
}

async function step<T>(doing: string, bucket: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFailure(`${doing} the bucket ${bucket}`, error);
  }
}

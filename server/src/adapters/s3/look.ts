import { GetObjectCommand } from "@aws-sdk/client-s3";
import type { StoreSeen } from "#core/doctor/judge-parts.ts";
import { decodeBinding } from "#jobs/archive-marker.ts";
import { makeClient, nameOf, type S3StoreOptions, statusOf } from "./client.ts";
import { BINDING_KEY, checkAccess, GENERATION_KEY } from "./startup.ts";

/** Writes, reads and removes a small object. Binds nothing. */
export async function lookAtBucket(options: Omit<S3StoreOptions, "deploymentId" | "storeId">): Promise<StoreSeen> {
  const { bucket } = options;
  const client = makeClient({ timeoutMs: 5_000, ...options, deploymentId: "" });
  const read = async (key: string): Promise<string | null> => {
    try {
      const found = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return (await found.Body?.transformToString("utf-8")) ?? null;
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  };
  const seen = { kind: "s3", place: bucket, binding: null, generation: null } as const;
  try {
    await checkAccess(client, bucket);
    const [binding, generation] = [await read(BINDING_KEY), await read(GENERATION_KEY)];
    return {
      ...seen,
      trouble: null,
      binding: binding === null ? null : decodeBinding(binding, `${bucket}/${BINDING_KEY}`),
      generation: generation === null ? null : Number.parseInt(generation, 10),
    };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return { ...seen, trouble: { code: nameOf(cause), said } };
  } finally {
    client.destroy();
  }
}

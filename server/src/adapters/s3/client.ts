import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { S3Client, type S3ClientConfig, S3ServiceException } from "@aws-sdk/client-s3";
import { OperationFailure } from "#ports/failure.ts";

export interface S3StoreOptions {
  readonly bucket: string;
  readonly region: string;
  /** Null for Amazon's own. */
  readonly endpoint: string | null;
  /** Null: the SDK looks where it always does (environment, profile, instance role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`; most self-hosted stores need it. */
  readonly forcePathStyle: boolean;
  /** Certificates to trust besides the system's, in PEM. */
  readonly ca: string | null;
  readonly deploymentId: string;
  /** The identity recorded at first start: of any other store no absence is believed, and ours may come back later. */
  readonly storeId?: string | null;
  /** A store that takes longer than this for an answer, or for the next bytes of one, is not there. */
  readonly timeoutMs?: number;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** With the SDK's exponential backoff and jitter between them. */
const MAX_ATTEMPTS = 4;
const MAX_SOCKETS = 64;

export function makeClient(options: S3StoreOptions): S3Client {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const config: S3ClientConfig = {
    region: options.region,
    forcePathStyle: options.forcePathStyle,
    maxAttempts: MAX_ATTEMPTS,
    retryMode: "standard",
    // Older self-hosted stores refuse the newer checksums. Every body is covered by its signature, and every archive
    // is read back and compared.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // A download that waits for a slow disk is idle and well; `download.ts` watches the waiting for the store only.
      socketTimeout: 0,
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
      httpsAgent: new HttpsAgent({
        keepAlive: true,
        maxSockets: MAX_SOCKETS,
        ...(options.ca === null ? {} : { ca: options.ca }),
      }),
    },
  };
  if (options.endpoint !== null) config.endpoint = options.endpoint;
  if (options.credentials !== null) config.credentials = options.credentials;
  return new S3Client(config);
}

/** The HTTP status of an answer, or undefined when there was none. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** Somebody has this key already. Stores differ in how they say so. */
export function isTaken(error: unknown): boolean {
  return statusOf(error) === 412 || statusOf(error) === 304 || nameOf(error) === "ConditionalRequestConflict";
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Whatever a store says that is not an answer is an outage: it heals, or a person repairs access, and work goes on. */
export function asFailure(doing: string, error: unknown): Error {
  if (error instanceof OperationFailure) return error;
  const status = statusOf(error);
  const name = nameOf(error);
  let hint = "";
  if (name === "NoSuchBucket") hint = ": create the bucket, or correct S3_BUCKET";
  else if (status === 403) hint = ": check S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY and the bucket's policy";
  const said = error instanceof Error ? error.message : String(error);
  const detail = [name, status === undefined ? "" : `HTTP ${status}`, said].filter((part) => part !== "").join(", ");
  return new OperationFailure("Unreachable", `${doing} failed (${detail})${hint}`, { cause: error });
}

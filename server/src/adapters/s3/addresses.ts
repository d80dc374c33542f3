import { createHash, createHmac } from "node:crypto";
import { HeadObjectCommand, type S3Client } from "@aws-sdk/client-s3";

/** Where an object is, as the SDK would ask for it. */
export interface Place {
  readonly origin: string;
  readonly host: string;
  /** Encoded already. */
  readonly path: string;
}

export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
}

/** What one address allows: this method on this object with this query, and nothing else. */
export interface Permission {
  readonly method: "GET" | "PUT";
  readonly query: Readonly<Record<string, string>>;
  readonly validSeconds: number;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** As the signature's rules want it, which is stricter than what URLs need. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * An address with the right to use it in it (Signature Version 4 in the query). Nothing of the secret can be learnt from
 * it, and no word of it changed: whoever has it can do exactly what it says, until it expires.
 */
export function signedAddress(place: Place, permission: Permission, signer: Signer, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/${signer.region}/s3/aws4_request`;
  const query = Object.entries({
    ...permission.query,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${signer.accessKeyId}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(permission.validSeconds),
    ...(signer.sessionToken === undefined ? {} : { "X-Amz-Security-Token": signer.sessionToken }),
    "X-Amz-SignedHeaders": "host",
  })
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const request = [permission.method, place.path, query, `host:${place.host}`, "", "host", "UNSIGNED-PAYLOAD"].join(
    "\n",
  );
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${signer.secretAccessKey}`);
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, hash(request)].join("\n")).toString("hex");
  return `${place.origin}${place.path}?${query}&X-Amz-Signature=${signature}`;
}

/** Asked of the SDK, which knows every kind of endpoint; nothing is sent. */
export async function placeOf(client: S3Client, bucket: string, key: string): Promise<Place> {
  const command = new HeadObjectCommand({ Bucket: bucket, Key: key });
  const { promise, resolve } = Promise.withResolvers<Place>();
  command.middlewareStack.add(
    () => async (args) => {
      const { protocol, hostname, port, path } = args.request as Record<string, string | undefined>;
      const host = port === undefined ? `${hostname}` : `${hostname}:${port}`;
      resolve({ origin: `${protocol}//${host}`, host, path: path ?? "/" });
      return { response: {}, output: { $metadata: {} } };
    },
    { step: "build", priority: "low", name: "placeOf" },
  );
  await client.send(command);
  return await promise;
}

export async function signerOf(client: S3Client): Promise<Signer> {
  const [{ accessKeyId, secretAccessKey, sessionToken }, region] = await Promise.all([
    client.config.credentials(),
    client.config.region(),
  ]);
  return { accessKeyId, secretAccessKey, sessionToken, region };
}

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { HeadBucketCommand, ListMultipartUploadsCommand } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { openS3Store } from "#adapters/s3/archives.ts";
import { makeClient, type S3StoreOptions } from "#adapters/s3/client.ts";
import { openKnownS3Store } from "#adapters/s3/deferred.ts";
import { partSize } from "#adapters/s3/upload.ts";
import { archiveKey } from "#core/rows/names.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { freshBucket, type S3Access } from "./s3-server.ts";

const never = new AbortController().signal;
const freshKey = () => archiveKey(randomUUID(), randomUUID());
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const access = inject("s3") as S3Access;

describe.skipIf(access === null)("S3 behind a network that fails", () => {
  let proxy: FaultProxy;
  let options: S3StoreOptions;
  beforeEach(async () => {
    proxy = await startFaultProxy(access.endpoint);
    options = { ...(await freshBucket(access, randomUUID())), endpoint: proxy.endpoint, timeoutMs: 2000 };
  });
  afterEach(async () => {
    await proxy[Symbol.asyncDispose]();
  });
  const unfinished = async (): Promise<number> => {
    const client = makeClient({ ...options, endpoint: access.endpoint });
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
    client.destroy();
    return Uploads.length;
  };

  it("a part that is answered with 503 or cut off is sent again, and the object is whole", async () => {
    const store = await openS3Store(options);
    const bytes = randomBytes(20 * 2 ** 20);
    let faults = 2;
    proxy.fault = (request, response) => {
      if (request.method !== "PUT" || !request.url?.includes("partNumber=2") || faults === 0) return undefined;
      faults--;
      if (faults === 1) response.writeHead(503).end();
      else request.socket.destroy();
      return "handled";
    };
    const key = freshKey();
    expect(await store.put(key, Readable.from([bytes]), never)).toMatchObject({ sha256: sha256(bytes) });
    expect(faults).toBe(0);
    proxy.fault = () => undefined;
    expect(sha256(await buffer((await store.get(key, never)).body))).toBe(sha256(bytes));
    store.close();
  });

  it("an upload that cannot be finished leaves no object and no parts", async () => {
    const store = await openS3Store(options);
    proxy.fault = (request, response) => {
      if (!request.url?.includes("partNumber=2")) return undefined;
      response.writeHead(503).end();
      return "handled";
    };
    const key = freshKey();
    const putting = store.put(key, Readable.from([randomBytes(20 * 2 ** 20)]), never);
    await expect(putting).rejects.toMatchObject({ reason: "Unreachable" });
    expect(await store.head(key)).toBeNull();
    expect(await unfinished()).toBe(0);
    store.close();
  });

  it("an upload whose answer is lost is not taken for somebody else's, small or large", async () => {
    const store = await openS3Store(options);
    for (const size of [1000, 20 * 2 ** 20]) {
      let lost = 1;
      proxy.fault = ({ method, url = "" }) => {
        const decides = method === "PUT" ? !url.includes("partNumber") : url.includes("uploadId=");
        return (method === "PUT" || method === "POST") && decides && lost-- > 0 ? { cutResponseAfter: 0 } : undefined;
      };
      const key = freshKey();
      const bytes = randomBytes(size);
      expect(await store.put(key, Readable.from([bytes]), never)).toMatchObject({ sha256: sha256(bytes) });
      expect(lost).toBeLessThanOrEqual(0);
      expect(await store.head(key)).toEqual({ sizeBytes: size, meta: null });
      proxy.fault = () => undefined;
      await expect(store.put(key, Readable.from([randomBytes(size)]), never)).rejects.toThrow(/exists already/);
    }
    store.close();
  });

  it("a download that is cut goes on where it ended, and the reader sees no seam", async () => {
    const store = await openS3Store(options);
    const bytes = randomBytes(10 * 2 ** 20);
    const key = freshKey();
    await store.put(key, Readable.from([bytes]), never);
    const ranges: (string | undefined)[] = [];
    proxy.fault = (request) => {
      if (request.method !== "GET") return undefined;
      ranges.push(request.headers.range);
      return { cutResponseAfter: 3 * 2 ** 20 };
    };
    expect(sha256(await buffer((await store.get(key, never)).body))).toBe(sha256(bytes));
    expect(ranges).toEqual([undefined, ...["3", "6", "9"].map((mib) => `bytes=${Number(mib) * 2 ** 20}-`)]);
    store.close();
  });

  it("a store that accepts and never answers is unreachable after its timeout", async () => {
    const store = await openS3Store({ ...options, timeoutMs: 300 });
    proxy.fault = () => "handled";
    await expect(store.head(freshKey())).rejects.toMatchObject({ reason: "Unreachable" });
    await expect(store.list()).rejects.toMatchObject({ reason: "Unreachable" });
    store.close();
  });

  it("a store that begins an answer and never ends it is unreachable, too", async () => {
    const store = await openS3Store({ ...options, timeoutMs: 500 });
    proxy.fault = (request, response) => {
      if (request.method !== "GET") return undefined;
      response.writeHead(200, { "content-length": "1000" }).write("{");
      return "handled";
    };
    await expect(store.storeId()).rejects.toMatchObject({ reason: "Unreachable" });
    store.close();
  });

  it("a list of which a page is missing is no list", async () => {
    const store = await openS3Store(options);
    await store.put(freshKey(), Readable.from([Buffer.from("x")]), never);
    proxy.fault = (request, response) => {
      if (!request.url?.includes("list-type=2")) return undefined;
      response.writeHead(200, { "content-type": "application/xml" });
      response.end("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>");
      return "handled";
    };
    await expect(store.list()).rejects.toThrow(/incomplete/);
    store.close();
  });

  it("a list of more than one page is complete", async () => {
    const store = await openS3Store(options);
    const keys = Array.from({ length: 1005 }, freshKey);
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, Readable.from([Buffer.from("x")]), never)));
    }
    expect((await store.list()).map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    store.close();
  });
});

describe.skipIf(access === null)("opening an S3 store", () => {
  const options = async () => freshBucket(access, randomUUID());

  it("says what is wrong: the secret, the bucket, the address", async () => {
    const right = await options();
    const wrongSecret = { accessKeyId: access.accessKeyId, secretAccessKey: "wrong" };
    await expect(openS3Store({ ...right, credentials: wrongSecret })).rejects.toThrow(/S3_SECRET_ACCESS_KEY/);
    await expect(openS3Store({ ...right, bucket: "there-is-none" })).rejects.toThrow(/S3_BUCKET/);
    await expect(openS3Store({ ...right, endpoint: "http://127.0.0.1:9" })).rejects.toMatchObject({
      reason: "Unreachable",
    });
    await expect(openS3Store({ ...right, credentials: wrongSecret })).rejects.not.toThrow(/wrong$/);
  });

  it("trusts a certificate that it was given, and no other", async () => {
    await using proxy = await startFaultProxy(access.endpoint, { tls: true });
    const behind = { ...(await options()), endpoint: proxy.endpoint };
    await expect(openS3Store(behind)).rejects.toMatchObject({ reason: "Unreachable" });
    const store = await openS3Store({ ...behind, ca: proxy.ca });
    const key = freshKey();
    await store.put(key, Readable.from([Buffer.from("over TLS")]), never);
    expect(String(await buffer((await store.get(key, never)).body))).toBe("over TLS");
    store.close();
  });

  it("starts without a known store that is down, and uses it as soon as it is back; a wrong one stops the start", async () => {
    await using proxy = await startFaultProxy(access.endpoint);
    const behind = { ...(await options()), endpoint: proxy.endpoint, timeoutMs: 500 };
    proxy.fault = (request) => {
      request.socket.destroy();
      return "handled";
    };
    const store = await openKnownS3Store(behind);
    await expect(store.storeId()).rejects.toMatchObject({ reason: "Unreachable" });
    await expect(store.head(freshKey())).rejects.toMatchObject({ reason: "Unreachable" });
    proxy.fault = () => undefined;
    expect(await store.head(freshKey())).toBeNull();
    expect(await store.storeId()).toBe(await (await openS3Store({ ...behind, endpoint: access.endpoint })).storeId());
    await expect(openKnownS3Store({ ...behind, deploymentId: randomUUID() })).rejects.toThrow(/another CodeHub/);
    await expect(openKnownS3Store({ ...behind, bucket: "there-is-none" })).rejects.toThrow(/S3_BUCKET/);
  });

  it("leaves no test object behind", async () => {
    const chosen = await options();
    const store = await openS3Store(chosen);
    expect(await store.list()).toEqual([]);
    const client = makeClient(chosen);
    await client.send(new HeadBucketCommand({ Bucket: chosen.bucket }));
    client.destroy();
    store.close();
  });

  it("asks for the bucket as a host name when path style is off", async () => {
    const hosts: (string | undefined)[] = [];
    await using proxy = await startFaultProxy(access.endpoint);
    proxy.fault = (request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(403).end();
      return "handled";
    };
    const port = new URL(proxy.endpoint).port;
    const chosen = { ...(await options()), endpoint: `http://localhost:${port}`, forcePathStyle: false };
    await expect(openS3Store(chosen)).rejects.toThrow();
    // The name may not resolve everywhere; where it does, it is the bucket's.
    for (const host of hosts) expect(host).toBe(`${chosen.bucket}.localhost:${port}`);
  });
});

it("ten thousand parts hold half a terabyte, and no part is too small or too large for S3", () => {
  const sizes = Array.from({ length: 10_000 }, (_, index) => partSize(index));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(0.5e12);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(5 * 2 ** 20);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5 * 2 ** 30);
});

import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3StoreOptions } from "#adapters/s3/client.ts";
import { freePort } from "#supervise/free-port.ts";

/** How to reach the S3 server of this test run. */
export interface S3Access {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const SCRIPT = fileURLToPath(new URL("../../../scripts/test/s3-server.sh", import.meta.url));

export function s3Available(): boolean {
  const available = spawnSync("radosgw", ["--version"]).status === 0;
  const how = "apt-get install --no-install-recommends radosgw ceph-mon ceph-osd";
  if (!available && process.env["CI"] !== undefined) throw new Error(`CI needs a real S3 server: ${how}`);
  if (!available) console.log(`S3 tests are skipped: no radosgw. Enable them with ${how}.`);
  return available;
}

/** Starts radosgw; it ends with the returned handle or with this process, whichever is first. */
export async function startS3Server(): Promise<{ access: S3Access } & AsyncDisposable> {
  const [port, monitorPort] = [await freePort(), await freePort()];
  const access = {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: randomUUID().replaceAll("-", ""),
    secretAccessKey: randomUUID(),
  };
  const args = [SCRIPT, String(port), String(monitorPort), access.accessKeyId, access.secretAccessKey];
  const child = spawn("bash", args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let ready = false;
  for await (const line of child.stdout) {
    ready = String(line).includes("ready");
    if (ready) break;
  }
  if (!ready) throw new Error("the S3 server did not start");
  return {
    access,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** A bucket of its own for one test, and what a store needs to use it. */
export async function freshBucket(access: S3Access, deploymentId: string): Promise<S3StoreOptions> {
  const { endpoint, ...credentials } = access;
  const bucket = `test-${randomUUID()}`;
  const client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { bucket, region: "us-east-1", endpoint, credentials, forcePathStyle: true, ca: null, deploymentId };
}

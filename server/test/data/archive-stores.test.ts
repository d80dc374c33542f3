import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { describe, expect, inject, it } from "vitest";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { openS3Store } from "#adapters/s3/archives.ts";
import { makeClient } from "#adapters/s3/client.ts";
import { archiveKey } from "#core/rows/names.ts";
import { type ArchiveStoreHarness, archiveStoreSuite } from "../suites/archive-store-suite.ts";
import { freshBucket, type S3Access } from "./s3-server.ts";

archiveStoreSuite("filesystem", async (): Promise<ArchiveStoreHarness> => {
  const scratch = await mkdtemp(join(tmpdir(), "codehub-store-"));
  const directory = join(scratch, "archives");
  const deploymentId = randomUUID();
  const uploads = join(directory, ".codehub", "uploads");
  return {
    store: await openFilesystemStore({ directory, deploymentId }),
    reopened: () => openFilesystemStore({ directory, deploymentId }),
    stranger: () => openFilesystemStore({ directory, deploymentId: randomUUID() }),
    addForeignObject: async () => {
      await mkdir(join(directory, "lost+found"), { recursive: true });
      await writeFile(join(directory, "lost+found", "x"), "x");
      await cp(join(directory, "lost+found"), join(directory, randomUUID(), "not-an-attempt"), { recursive: true });
    },
    unfinishedUploads: async () => (await readdir(uploads)).length,
    leaveUnfinishedUpload: () => writeFile(join(uploads, `${randomUUID()}.part`), "half"),
    leaveLoneMarker: (key) => unlink(join(directory, key)),
    replaced: async () => {
      await rename(directory, join(scratch, "unmounted"));
      return await openFilesystemStore({ directory, deploymentId });
    },
    vanish: async () => {
      await rename(directory, join(scratch, "unmounted"));
      await mkdir(directory);
    },
    close: () => rm(scratch, { recursive: true, force: true }),
  };
});

it("a directory that was opened while another one lay in its place works once it is back", async () => {
  const scratch = await mkdtemp(join(tmpdir(), "codehub-store-"));
  try {
    const [directory, unmounted] = [join(scratch, "archives"), join(scratch, "unmounted")];
    const deploymentId = randomUUID();
    const ours = await openFilesystemStore({ directory, deploymentId });
    const storeId = await ours.storeId();
    await rename(directory, unmounted);
    const store = await openFilesystemStore({ directory, deploymentId, storeId });
    const key = archiveKey(randomUUID(), randomUUID());
    expect(await store.storeId()).not.toBe(storeId);
    await expect(store.head(key)).rejects.toMatchObject({ reason: "Unreachable" });
    await rm(directory, { recursive: true });
    await rename(unmounted, directory);
    expect(await store.storeId()).toBe(storeId);
    expect(await store.head(key)).toBeNull();
    await store.put(key, Readable.from([Buffer.from("home")]), new AbortController().signal);
    expect(await store.head(key)).toMatchObject({ sizeBytes: 4 });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});

const access = inject("s3");
describe.skipIf(access === null)("with an S3 server", () => {
  archiveStoreSuite("S3", () => s3Harness(access as S3Access));
});

async function s3Harness(s3: S3Access): Promise<ArchiveStoreHarness> {
  const options = await freshBucket(s3, randomUUID());
  const Bucket = options.bucket;
  const client = makeClient(options);
  const store = await openS3Store(options);
  const opened = [store];
  const open = async (change: object) => {
    const another = await openS3Store({ ...options, ...change });
    opened.push(another);
    return another;
  };
  const vanish = async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    const Objects = Contents.map(({ Key }) => ({ Key: Key ?? "" }));
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    await client.send(new DeleteBucketCommand({ Bucket }));
  };
  return {
    store,
    reopened: () => open({}),
    stranger: () => open({ deploymentId: randomUUID() }),
    addForeignObject: async () => {
      await client.send(new PutObjectCommand({ Bucket, Key: `${randomUUID()}/not-an-archive`, Body: "x" }));
    },
    unfinishedUploads: async () => {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      return Uploads.length;
    },
    leaveUnfinishedUpload: async () => {
      const Key = archiveKey(randomUUID(), randomUUID());
      await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    },
    leaveLoneMarker: async (Key) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
    replaced: async () => {
      await vanish();
      await client.send(new CreateBucketCommand({ Bucket }));
      return await open({});
    },
    vanish,
    close: async () => {
      for (const another of opened) another.close();
      client.destroy();
    },
  };
}

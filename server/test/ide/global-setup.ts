import type { TestProject } from "vitest/node";
import { IdeInstall } from "#adapters/process/ide-install.ts";
import { type S3Access, s3Available, startS3Server } from "../data/s3-server.ts";
import { dockerAvailable, startEngine } from "../docker/private-engine.ts";
import { cacheDir } from "../runtime/cache-dir.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** An engine whose images have the real IDE, and an S3 server; null where either is missing. */
    ideEngine: { readonly host: string; readonly s3: S3Access } | null;
  }
}

/** The IDE is installed before anything else: the image is made from it, and the processes run it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await new IdeInstall(await cacheDir("ide")).ensure(() => {}, new AbortController().signal);
  if (!dockerAvailable() || !s3Available()) {
    project.provide("ideEngine", null);
    return async () => {};
  }
  const engine = await startEngine("ide");
  const server = await startS3Server();
  project.provide("ideEngine", { host: engine.host, s3: server.access });
  return async () => {
    await engine[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
}

import type { TestProject } from "vitest/node";
import { type S3Access, s3Available, startS3Server } from "./s3-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Null where no S3 server is installed. */
    s3: S3Access | null;
  }
}

/** One S3 server for all tests of a run; each test has a bucket of its own. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!s3Available()) {
    project.provide("s3", null);
    return undefined;
  }
  const server = await startS3Server();
  project.provide("s3", server.access);
  return async () => {
    await server[Symbol.asyncDispose]();
  };
}

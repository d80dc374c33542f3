import type { TestProject } from "vitest/node";
import { dockerAvailable, startEngine } from "./private-engine.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The engine that test files share, or null where none can be started. */
    dockerHost: string | null;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!dockerAvailable()) {
    project.provide("dockerHost", null);
    return async () => {};
  }
  const engine = await startEngine();
  project.provide("dockerHost", engine.host);
  return async () => {
    await engine[Symbol.asyncDispose]();
  };
}

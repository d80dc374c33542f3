import type { TestProject } from "vitest/node";
import { startTestServer, type TestServer } from "./test-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    postgresServerUrl: string;
  }
}

// One server serves every vitest project of a run. Each project loads this file on its own, so they meet on globalThis.
type Shared = { server: Promise<TestServer>; users: number };
const meetingPoint = globalThis as typeof globalThis & { codehubTestPostgres?: Shared };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  meetingPoint.codehubTestPostgres ??= { server: startTestServer(), users: 0 };
  const shared = meetingPoint.codehubTestPostgres;
  shared.users += 1;
  project.provide("postgresServerUrl", (await shared.server).url);
  return async () => {
    shared.users -= 1;
    if (shared.users === 0) {
      delete meetingPoint.codehubTestPostgres;
      await (await shared.server).stop();
    }
  };
}

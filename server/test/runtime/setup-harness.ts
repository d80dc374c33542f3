import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessJobLauncher } from "#adapters/process/jobs.ts";
import { createProcessRuntime } from "#adapters/process/runtime.ts";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { SetupJobRunner } from "#jobs/setup-jobs.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { SetupJobsHarness } from "../suites/setup-jobs-suite.ts";

/** Jobs of the process runtime in a folder of its own. */
export async function processSetupHarness(): Promise<SetupJobsHarness & { readonly runtime: Runtime }> {
  const dataDir = await mkdtemp(join(tmpdir(), "ch-"));
  await chmod(dataDir, 0o711);
  const deploymentId = randomUUID();
  const volumes = await openProcessVolumes({
    directory: join(dataDir, "volumes"),
    deploymentId,
    references: async () => [],
  });
  const runtime = await createProcessRuntime({
    dataDir,
    deploymentId,
    volumes,
    ide: { command: () => ["sleep", "600"] },
  });
  const { setup } = runtime;
  return {
    runtime,
    setup: new SetupJobRunner(setup),
    jobs: new ProcessJobLauncher({ deploymentId, volumes, cacheDirectory: join(dataDir, "cache"), clock, setup }),
    volumes,
    homePath: (volume) => join(volumes.path(volume), "home"),
    hostPort: async () => null,
    // Records of jobs; what was in memory goes with them.
    left: async () => [
      ...(await readdir(join(dataDir, "run/.jobs")).catch((): string[] => [])),
      ...(await readdir(join(dataDir, "homes"))),
    ],
    uid: async (home) => (await stat(home)).uid,
    close: async () => {
      for (const { id } of await runtime.list()) await runtime.remove(id, 0);
      for (const { name } of await volumes.list()) await volumes.remove(name);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

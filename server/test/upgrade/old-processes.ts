import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * What the old release had started and what goes on: `old-processes.ts PROGRAM DATA_DIR JSON`. It starts the workspace's
 * process exactly as its record says, and a storage job that never ends, with the old release's own code. It reports when
 * both run and stays, because the job reads from it.
 */

const [program = "", dataDir = "", json = ""] = process.argv.slice(2);
const { running, job } = JSON.parse(json);
const old = (path: string) => import(pathToFileURL(join(program, "src", path)).href);
const { startSupervisor } = await old("adapters/process/launch.ts");
const { readContainer } = await old("adapters/process/record.ts");
const { ProcessJobLauncher } = await old("adapters/process/jobs.ts");
const { systemClock: clock } = await old("adapters/system/clock.ts");

const runDir = join(dataDir, "run");
const never = new AbortController().signal;
await startSupervisor({ runDir }, await readContainer(runDir, running), never);

const volumePath = (name: string): string => join(dataDir, "volumes", name);
const options = { deploymentId: job.deploymentId, volumePath, cacheDirectory: join(dataDir, "cache"), clock };
const started = await new ProcessJobLauncher(options).launch({
  request: { kind: "inspect", limits: { entryCount: 1, contentBytes: 1 }, object: null },
  labels: { workspaceId: job.workspaceId, attempt: job.attempt },
  volume: null,
});
started.exited.then(() => process.send?.("job ended"));
process.send?.("started");

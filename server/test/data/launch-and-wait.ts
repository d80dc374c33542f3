import { ProcessJobLauncher } from "#adapters/process/jobs.ts";
import { systemClock } from "#adapters/system/clock.ts";

/**
 * A server that starts a storage job and never gets to read from it; a test kills it and looks for the job. Arguments:
 * deployment, workspace, attempt, path of the volume.
 */
const [deploymentId = "", workspaceId = "", attempt = "", path = ""] = process.argv.slice(2);
const cacheDirectory = `${path}/../cache`;
const launcher = new ProcessJobLauncher({
  deploymentId,
  volumes: { path: () => path },
  cacheDirectory,
  clock: systemClock,
});
await launcher.launch({
  request: { kind: "pack", workspaceId },
  labels: { workspaceId, attempt },
  volume: { name: "any", access: "read" },
});
console.log("launched");
process.stdin.resume();

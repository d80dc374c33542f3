import { join } from "node:path";
import { Engine } from "#adapters/docker/engine.ts";
import { JobSockets } from "#adapters/docker/job-sockets.ts";
import { DockerJobLauncher } from "#adapters/docker/jobs.ts";
import { converse } from "#jobs/job-conversation.ts";
import { JOB_IMAGE } from "./docker-harness.ts";

/**
 * A server that starts an archive, takes its first bytes and no more; a test kills it and looks for the job. Arguments:
 * engine, deployment, workspace, attempt, volume, folder for sockets.
 */
const [host = "", deploymentId = "", workspaceId = "", attempt = "", name = "", scratch = ""] = process.argv.slice(2);
const sockets = new JobSockets(join(scratch, "jobs"));
const launcher = new DockerJobLauncher({ engine: new Engine({ host }), deploymentId, jobImage: JOB_IMAGE, sockets });
const job = await launcher.launch({
  request: { kind: "pack", workspaceId },
  labels: { workspaceId, attempt },
  volume: { name, access: "read" },
});
const { output } = await converse(job, () => {}).bytes;
output.once("readable", () => console.log("half way"));

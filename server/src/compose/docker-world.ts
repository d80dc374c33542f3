import fs from "node:fs";
import path from "node:path";
import { Engine } from "#adapters/docker/engine.ts";
import { hasImage } from "#adapters/docker/images.ts";
import { tellOfOtherJobImage } from "#adapters/docker/job-image.ts";
import { JobSockets } from "#adapters/docker/job-sockets.ts";
import { DockerJobLauncher } from "#adapters/docker/jobs.ts";
import { DockerRuntime } from "#adapters/docker/runtime.ts";
import { DockerSetupLauncher } from "#adapters/docker/setup-jobs.ts";
import { VolumeFolders } from "#adapters/docker/volume-folders.ts";
import { DockerVolumes } from "#adapters/docker/volumes.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import { SetupJobRunner } from "#jobs/setup-jobs.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { World } from "#ports/world.ts";
import { reachOf } from "./reach.ts";
import { allowedImages } from "./settings.ts";
import type { WorldParts } from "./world.ts";

/** Whether a workspace could be started there at once. */
export async function dockerIsPrepared(config: Config): Promise<boolean> {
  const engine = openEngine(config);
  try {
    const images = await Promise.all([hasImage(engine, config.DEFAULT_IMAGE), hasImage(engine, config.JOB_IMAGE)]);
    return images.every(Boolean);
  } catch {
    return false;
  }
}

export function openEngine(config: Config): Engine {
  const directory = config.DOCKER_CERT_PATH;
  if (directory === null) return new Engine({ host: config.DOCKER_HOST });
  const read = (name: string): string => fs.readFileSync(path.join(directory, name), "utf8");
  return new Engine({
    host: config.DOCKER_HOST,
    tls: { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") },
  });
}

export function dockerWorld({ config, deploymentId, archives, portUrl, logger }: WorldParts): World {
  const engine = openEngine(config);
  const jobImage = config.JOB_IMAGE;
  // An engine mounts absolute paths only.
  const sockets = new JobSockets(path.resolve(config.DATA_DIR, "jobs"), logger);
  const launcher = new DockerJobLauncher({ engine, deploymentId, jobImage, sockets });
  if (logger !== undefined) void tellOfOtherJobImage(engine, jobImage, logger);
  const folders = new VolumeFolders(engine, deploymentId, logger);
  const volumes = new DockerVolumes({ engine, deploymentId, jobImage, jobs: launcher, folders });
  const runtime = new DockerRuntime({
    engine,
    deploymentId,
    volumes,
    jobImage,
    hostPorts: { from: config.HOST_PORTS_FROM, to: config.HOST_PORTS_TO },
    limits: { cpus: config.WORKSPACE_CPUS, memoryBytes: config.WORKSPACE_MEMORY, pids: config.WORKSPACE_PIDS },
    imageAllowlist: allowedImages(config),
    reach: reachOf(config),
    ...(portUrl === undefined ? {} : { portUrl }),
    ...(logger === undefined ? {} : { logger }),
  });
  // Workspaces that run already follow what is listed now. Where it fails, every start says so.
  if (logger !== undefined && config.ROLES.includes("coordinator")) void runtime.keepApart().catch(() => {});
  return {
    runtime,
    volumes,
    archives,
    jobs: new StorageJobRunner({ store: archives, launcher, clock, ids }),
    setup: new SetupJobRunner(new DockerSetupLauncher({ engine, deploymentId, jobImage, runtime })),
  };
}

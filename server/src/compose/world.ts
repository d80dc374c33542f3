import fs from "node:fs";
import path from "node:path";
import { Engine } from "#adapters/docker/engine.ts";
import { hasImage } from "#adapters/docker/images.ts";
import { DockerJobLauncher } from "#adapters/docker/jobs.ts";
import { DockerRuntime } from "#adapters/docker/runtime.ts";
import { DockerVolumes } from "#adapters/docker/volumes.ts";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { readDeployment } from "#adapters/postgres/queries/deployment/read-deployment.ts";
import { one } from "#adapters/postgres/statement.ts";
import type { IdeCommand } from "#adapters/process/ide-command.ts";
import { ProcessJobLauncher } from "#adapters/process/jobs.ts";
import { createProcessRuntime } from "#adapters/process/runtime.ts";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { openS3Store } from "#adapters/s3/archives.ts";
import { openKnownS3Store } from "#adapters/s3/deferred.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { Logger } from "#ports/logger.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { World } from "#ports/world.ts";
import type { Database } from "./database.ts";

export interface WorldOptions {
  /** Where a port of a workspace is served, with `{{port}}` in it, for the links that the IDE shows. */
  readonly portUrl?: (workspaceId: string) => string;
  /** Instead of code-server, for tests. */
  readonly ide?: IdeCommand | undefined;
  readonly logger?: Logger;
}

interface Making extends WorldOptions {
  readonly config: Config;
  readonly deploymentId: string;
  readonly archives: ArchiveStore;
}

/** Runtime, volumes, archive store and storage jobs, as configured. */
export async function openWorld(config: Config, database: Database, options: WorldOptions = {}): Promise<World> {
  const deployment = await one(database.coordinator, readDeployment, {});
  const { deployment_id: deploymentId, runtime_kind: bound } = deployment;
  const archives = await openArchives(config, deploymentId, deployment.store_id);
  const kind = config.RUNTIME === "auto" ? (bound ?? (await bestRuntime(config))) : config.RUNTIME;
  const making = { ...options, config, deploymentId, archives };
  if (kind === "docker") return dockerWorld(making);
  if (kind === "process") return await processWorld(making);
  throw new Error(`RUNTIME=${kind} is not available in this version. Use process or docker.`);
}

/** A store that was used before may be down now: its outage must not keep the server from starting. */
async function openArchives(config: Config, deploymentId: string, storeId: string | null): Promise<ArchiveStore> {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === null) {
    return await openFilesystemStore({ directory: path.join(config.DATA_DIR, "archives"), deploymentId, storeId });
  }
  return await (storeId === null ? openS3Store : openKnownS3Store)({
    bucket,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    credentials: accessKeyId !== null && secretAccessKey !== null ? { accessKeyId, secretAccessKey } : null,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    ca: config.S3_CA_FILE === null ? null : fs.readFileSync(config.S3_CA_FILE, "utf8"),
    deploymentId,
    storeId,
  });
}

/** Asked once, at first start; afterwards the database remembers. Docker only where it could start a workspace at once. */
async function bestRuntime(config: Config): Promise<"docker" | "process"> {
  const engine = openEngine(config);
  try {
    const images = await Promise.all([hasImage(engine, config.DEFAULT_IMAGE), hasImage(engine, config.JOB_IMAGE)]);
    return images.every(Boolean) ? "docker" : "process";
  } catch {
    return "process";
  }
}

function openEngine(config: Config): Engine {
  const directory = config.DOCKER_CERT_PATH;
  if (directory === null) return new Engine({ host: config.DOCKER_HOST });
  const read = (name: string): string => fs.readFileSync(path.join(directory, name), "utf8");
  return new Engine({
    host: config.DOCKER_HOST,
    tls: { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") },
  });
}

function dockerWorld({ config, deploymentId, archives, portUrl, logger }: Making): World {
  const engine = openEngine(config);
  const jobImage = config.JOB_IMAGE;
  const launcher = new DockerJobLauncher({ engine, deploymentId, jobImage });
  const volumes = new DockerVolumes({ engine, deploymentId, jobImage, jobs: launcher });
  const runtime = new DockerRuntime({
    engine,
    deploymentId,
    volumes,
    jobImage,
    hostPorts: { from: config.HOST_PORTS_FROM, to: config.HOST_PORTS_TO },
    limits: { cpus: config.WORKSPACE_CPUS, memoryBytes: config.WORKSPACE_MEMORY, pids: config.WORKSPACE_PIDS },
    imageAllowlist: allowedImages(config),
    ...(portUrl === undefined ? {} : { portUrl }),
    ...(logger === undefined ? {} : { logger }),
  });
  return { runtime, volumes, archives, jobs: new StorageJobRunner({ store: archives, launcher, clock, ids }) };
}

async function processWorld({ config, deploymentId, archives, portUrl, ide }: Making): Promise<World> {
  let runtime: Runtime | null = null;
  const volumes = await openProcessVolumes({
    directory: path.join(config.DATA_DIR, "volumes"),
    deploymentId,
    references: async (name) => {
      const containers = (await runtime?.list()) ?? [];
      return containers.filter((container) => container.volume === name).map((container) => container.id);
    },
  });
  const more = portUrl === undefined ? {} : { portUrl };
  runtime = await createProcessRuntime({ dataDir: config.DATA_DIR, deploymentId, volumes, ide, ...more });
  const cacheDirectory = path.join(config.DATA_DIR, "cache");
  const launcher = new ProcessJobLauncher({ deploymentId, volumes, cacheDirectory, clock });
  return { runtime, volumes, archives, jobs: new StorageJobRunner({ store: archives, launcher, clock, ids }) };
}

/** What people may choose: the default, and what else is listed. */
export function allowedImages(config: Config): readonly string[] {
  return [...new Set([config.DEFAULT_IMAGE, ...config.IMAGE_ALLOWLIST])];
}

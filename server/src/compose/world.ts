import fs from "node:fs";
import path from "node:path";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { readDeployment } from "#adapters/postgres/queries/deployment/read-deployment.ts";
import { one } from "#adapters/postgres/statement.ts";
import type { IdeCommand } from "#adapters/process/ide-command.ts";
import type { S3StoreOptions } from "#adapters/s3/client.ts";
import type { Config } from "#config/config.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { Logger } from "#ports/logger.ts";
import type { World } from "#ports/world.ts";
import type { Database } from "./database.ts";

export interface WorldOptions {
  /** Where a port of a workspace is served, with `{{port}}` in it, for the links that the IDE shows. */
  readonly portUrl?: (nameInHosts: string) => string;
  /** Instead of code-server, for tests. */
  readonly ide?: IdeCommand | undefined;
  readonly logger?: Logger;
}

export interface WorldParts extends WorldOptions {
  readonly config: Config;
  readonly deploymentId: string;
  readonly archives: ArchiveStore;
}

/**
 * Runtime, volumes, archive store and storage jobs, as configured. What is not configured is not loaded: the client of S3
 * alone takes as long to load as a third of the rest, and stays in memory.
 */
export async function openWorld(
  config: Config,
  database: Pick<Database, "api">,
  options: WorldOptions = {},
): Promise<World> {
  const deployment = await one(database.api, readDeployment, {});
  const { deployment_id: deploymentId, runtime_kind: bound } = deployment;
  const archives = await openArchives(config, deploymentId, deployment.store_id);
  const kind = await runtimeKindOf(config, bound);
  const making = { ...options, config, deploymentId, archives };
  if (kind === "docker") return (await import("./docker-world.ts")).dockerWorld(making);
  if (kind === "process") return await (await import("./process-world.ts")).processWorld(making);
  return await (await import("./kubernetes-world.ts")).kubernetesWorld(making);
}

/** A store that was used before may be down now: its outage must not keep the server from starting. */
export async function openArchives(
  config: Config,
  deploymentId: string,
  storeId: string | null,
): Promise<ArchiveStore> {
  const bucket = bucketOptions(config);
  if (bucket === null) {
    return await openFilesystemStore({ directory: archiveDirectory(config), deploymentId, storeId });
  }
  const open =
    storeId === null
      ? (await import("#adapters/s3/archives.ts")).openS3Store
      : (await import("#adapters/s3/deferred.ts")).openKnownS3Store;
  return await open({ ...bucket, deploymentId, storeId });
}

/** Where archives lie that are in no bucket. */
export const archiveDirectory = (config: Config): string => path.join(config.DATA_DIR, "archives");

/** The bucket as configured; null where archives are files. */
export function bucketOptions(config: Config): Omit<S3StoreOptions, "deploymentId" | "storeId"> | null {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === null) return null;
  return {
    bucket,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    credentials: accessKeyId !== null && secretAccessKey !== null ? { accessKeyId, secretAccessKey } : null,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    ca: config.S3_CA_FILE === null ? null : fs.readFileSync(config.S3_CA_FILE, "utf8"),
  };
}

/** Where workspaces run: as configured, else as the database remembers, else as this machine can. */
export async function runtimeKindOf(
  config: Config,
  bound: string | null,
): Promise<"docker" | "process" | "kubernetes"> {
  if (config.RUNTIME !== "auto") return config.RUNTIME;
  if (bound === "docker" || bound === "process" || bound === "kubernetes") return bound;
  return await bestRuntime(config);
}

/** Asked once, at first start; afterwards the database remembers. Docker only where it could start a workspace at once. */
async function bestRuntime(config: Config): Promise<"docker" | "process"> {
  const { dockerIsPrepared } = await import("./docker-world.ts");
  return (await dockerIsPrepared(config)) ? "docker" : "process";
}

import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Config } from "#config/config.ts";
import type { EngineSeen } from "#core/doctor/judge-engine.ts";
import type { StoreSeen } from "#core/doctor/judge-parts.ts";
import { reachOf } from "./reach.ts";
import { allowedImages } from "./settings.ts";
import { archiveDirectory, bucketOptions, runtimeKindOf } from "./world.ts";

/** The archive store as configured, tried with a small object. */
export async function lookAtStore(config: Config): Promise<StoreSeen> {
  const bucket = bucketOptions(config);
  if (bucket !== null) return await (await import("#adapters/s3/look.ts")).lookAtBucket(bucket);
  return await (await import("#adapters/filesystem/look.ts")).lookAtDirectory(archiveDirectory(config));
}

/** Where workspaces run or would run. */
export async function lookAtRuntime(
  config: Config,
  remembered: { readonly runtimeKind: string | null; readonly deploymentId: string | null } | null,
): Promise<EngineSeen> {
  const kind = await runtimeKindOf(config, remembered?.runtimeKind ?? null);
  if (kind === "process") return await lookAtProcesses(config);
  if (kind === "docker") return await lookAtDocker(config, remembered?.deploymentId ?? null);
  const look = await (await import("./kubernetes-world.ts")).lookAtCluster(config);
  return { kind, place: config.KUBERNETES_NAMESPACE, singleUser: false, images: [], ...look };
}

/** The engine and its images; the firewall only where it is known whose containers would set it. */
export async function lookAtDocker(config: Config, deploymentId: string | null): Promise<EngineSeen> {
  const [{ lookAtEngine }, { openEngine }] = await Promise.all([
    import("#adapters/docker/look.ts"),
    import("./docker-world.ts"),
  ]);
  const images = { job: config.JOB_IMAGE, default: config.DEFAULT_IMAGE, allowed: allowedImages(config) };
  const look = await lookAtEngine(openEngine(config), images, deploymentId, reachOf(config));
  return { kind: "docker", place: config.DOCKER_HOST, singleUser: false, ...look };
}

async function lookAtProcesses(config: Config): Promise<EngineSeen> {
  const seen = { kind: "process", place: config.DATA_DIR, images: [], firewall: null } as const;
  const singleUser = process.getuid?.() !== 0;
  try {
    const id = await readFile(path.join(config.DATA_DIR, "engine-id"), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    return { ...seen, singleUser, trouble: null, id: id?.trim() ?? null };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { ...seen, singleUser, trouble: { code, said: message }, id: null };
  }
}

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type pg from "pg";
import { describeTree } from "../../data/fingerprint.ts";
import { plantHome } from "./plant.ts";

const JOB_IMAGE = "codehub-test/job:latest";
const never = new AbortController().signal;

/**
 * Gives a workspace that rests in an archive another one, made by the old release's storage job on a Docker engine. A
 * deployment has one runtime for ever, so this is the one thing that is put together. Resolves to the description of its home.
 */
export async function archiveByDocker(
  checkout: string,
  dataDir: string,
  database: pg.Client,
  workspaceId: string,
): Promise<string> {
  const old = (path: string) => import(pathToFileURL(join(checkout, "server", path)).href);
  const { startEngine } = await old("test/docker/private-engine.ts");
  const { Engine } = await old("src/adapters/docker/engine.ts");
  const { DockerJobLauncher } = await old("src/adapters/docker/jobs.ts");
  const { DockerVolumes } = await old("src/adapters/docker/volumes.ts");
  const { openFilesystemStore } = await old("src/adapters/filesystem/archives.ts");
  const { StorageJobRunner } = await old("src/jobs/storage-jobs.ts");
  const { systemClock: clock, systemIds: ids } = await old("src/adapters/system/clock.ts");
  const { archiveKey, volumeName } = await old("src/core/names.ts");

  const deploymentId = (await database.query("SELECT deployment_id FROM deployment")).rows[0].deployment_id;
  const before = (await database.query("SELECT archive_key FROM workspaces WHERE id = $1", [workspaceId])).rows[0];
  const private_ = await startEngine("fake");
  try {
    const engine = new Engine({ host: private_.host });
    const launcher = new DockerJobLauncher({ engine, deploymentId, jobImage: JOB_IMAGE });
    const volumes = new DockerVolumes({ engine, deploymentId, jobImage: JOB_IMAGE, jobs: launcher });
    const store = await openFilesystemStore({ directory: join(dataDir, "archives"), deploymentId });
    const [made, attempt] = [randomUUID(), randomUUID()];
    const volume = volumeName(workspaceId, made);
    await volumes.create({ name: volume, workspaceId, attempt: made });
    await volumes.seal(volume, { workspaceId, attempt: made, archiveKey: null, manifestDigest: null });
    const place = await engine.need("GET", `/volumes/${volume}`);
    const home = join(place.Mountpoint, "home");
    plantHome(home, "the home that a Docker engine archived", 1000);
    const description = describeTree(home);
    const key = archiveKey(workspaceId, attempt);
    const jobs = new StorageJobRunner({ store, launcher, clock, ids });
    const facts = await jobs.archive({ workspaceId, attempt, volume, key }, { onProgress: () => {}, signal: never });
    await volumes.remove(volume);
    await database.query(
      `UPDATE archives SET key = $2, op_id = $3, sha256 = $4, size_bytes = $5, content_bytes = $6, entry_count = $7,
         manifest_digest = $8 WHERE workspace_id = $1`,
      [
        ...[workspaceId, key, attempt, facts.sha256, facts.sizeBytes, facts.contentBytes, facts.entryCount],
        facts.manifestDigest,
      ],
    );
    await database.query("UPDATE workspaces SET archive_key = $2, archive_op_id = $3 WHERE id = $1", [
      ...[workspaceId, key, attempt],
    ]);
    await rm(join(dataDir, "archives", before.archive_key, ".."), { recursive: true });
    return description;
  } finally {
    await private_[Symbol.asyncDispose]();
  }
}

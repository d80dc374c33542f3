import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rename, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readIdentity, seal, syncFolder } from "#job-program/storage/identity.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { VolumeIdentity, VolumeSeen, Volumes } from "#ports/volumes.ts";
import { codeOf, removeTree } from "./remove-tree.ts";

/** Folders with these beginnings are volumes being made or taken away; no volume has such a name. */
const MAKING = ".making-";
const LEAVING = ".leaving-";
const LABELS = ".codehub/labels.json";

export interface ProcessVolumesOptions {
  /** The folder that holds all volumes. */
  readonly directory: string;
  readonly deploymentId: string;
  /** What runs in this volume now, as names for people; asked before it is removed. */
  readonly references: (name: string) => Promise<readonly string[]>;
}

/** Makes the folder where it is missing and finishes removals that were interrupted. */
export async function openProcessVolumes(options: ProcessVolumesOptions): Promise<ProcessVolumes> {
  const directory = resolve(options.directory);
  // Workspaces run under other users' ids: they may pass through to their own home, and list nothing.
  await mkdir(directory, { recursive: true, mode: 0o711 });
  await chmod(directory, 0o711);
  for (const name of await readdir(directory)) {
    // What still cannot go, because its user holds it, must not keep the server from starting.
    if (name.startsWith(LEAVING)) await removeTree(join(directory, name), HOME_LIMITS).catch(() => false);
  }
  return new ProcessVolumes({ ...options, directory });
}

/**
 * Directories as volumes: `.codehub/` (ours: labels and identity) and `home/` (the user's). A volume appears and goes
 * by one rename, so that it is never seen half made or half removed.
 */
export class ProcessVolumes implements Volumes {
  readonly grow = null;
  readonly #options: ProcessVolumesOptions;

  constructor(options: ProcessVolumesOptions) {
    this.#options = options;
  }

  /** Where a volume of this name lies. */
  path(name: string): string {
    if (!/^[a-z0-9][a-z0-9-]{0,200}$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a volume's name`);
    return join(this.#options.directory, name);
  }

  async list(): Promise<VolumeSeen[]> {
    const names = await readdir(this.#options.directory);
    const seen = await Promise.all(names.filter((name) => !name.startsWith(".")).map((name) => this.inspect(name)));
    return seen.filter((volume) => volume !== null);
  }

  async inspect(name: string): Promise<VolumeSeen | null> {
    const path = this.path(name);
    try {
      return this.#parse(name, await readFile(join(path, LABELS), "utf8"));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      // Without its parent nothing is known about the volume: a disk may not be mounted.
      await stat(this.#options.directory);
      return null;
    }
  }

  async create(spec: { name: string; workspaceId: string; attempt: string }): Promise<boolean> {
    const path = this.path(spec.name);
    const draft = join(this.#options.directory, `${MAKING}${randomUUID()}`);
    // Nobody enters before the workspace starts: until then root writes into the home.
    await mkdir(draft, { mode: 0o700 });
    try {
      await mkdir(join(draft, "home"), { mode: 0o700 });
      await mkdir(join(draft, ".codehub"), { mode: 0o700 });
      const labels = { deploymentId: this.#options.deploymentId, workspaceId: spec.workspaceId, attempt: spec.attempt };
      await writeFile(join(draft, LABELS), `${JSON.stringify(labels)}\n`, { mode: 0o600, flush: true });
      await rename(draft, path);
    } catch (error) {
      await removeVolume(draft);
      if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(codeOf(error) ?? "")) return false;
      throw error;
    }
    await syncFolder(this.#options.directory);
    return true;
  }

  async seal(name: string, identity: VolumeIdentity): Promise<void> {
    await seal(await this.#present(name), identity);
  }

  async identity(name: string): Promise<VolumeIdentity | null> {
    return readIdentity(await this.#present(name));
  }

  async remove(name: string): Promise<void> {
    const path = this.path(name);
    if ((await this.inspect(name)) === null) return;
    const users = await this.#options.references(name);
    if (users.length > 0) {
      throw new OperationFailure("ActionFailed", `the volume ${name} is in use by ${users.join(", ")}: not removed`);
    }
    const leaving = join(dirname(path), `${LEAVING}${randomUUID()}`);
    await rename(path, leaving);
    await syncFolder(dirname(path));
    await removeVolume(leaving);
  }

  async freeSpace(): Promise<{ freeBytes: number; totalBytes: number }> {
    const { bavail, blocks, bsize } = await statfs(this.#options.directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }

  async #present(name: string): Promise<string> {
    if ((await this.inspect(name)) === null) throw new OperationFailure("ActionFailed", `there is no volume ${name}`);
    return this.path(name);
  }

  /** Null for a volume of another deployment: it is not ours to see or to touch. */
  #parse(name: string, text: string): VolumeSeen | null {
    const { deploymentId, workspaceId, attempt } = JSON.parse(text) as Record<string, unknown>;
    if (typeof workspaceId !== "string" || typeof attempt !== "string") {
      throw new Error(`the labels of the volume ${name} are damaged`);
    }
    return deploymentId === this.#options.deploymentId ? { name, workspaceId, attempt } : null;
  }
}

/** A home may be large, and a disk slow. */
const HOME_LIMITS = { asUserMs: 60_000, apartMs: 600_000 };

async function removeVolume(path: string): Promise<void> {
  if (await removeTree(path, HOME_LIMITS)) return;
  throw new OperationFailure(
    "ActionFailed",
    `the folder ${path} could not be emptied: a process of its user adds to it. The rest is removed at the next start.`,
  );
}

import { randomUUID } from "node:crypto";
import { chmod, chown, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "#ports/logger.ts";
import type { Engine } from "./engine.ts";
import { DEPLOYMENT, ROLE } from "./labels.ts";
import { WORKSPACE_UID } from "./workspace-container.ts";

/**
 * The folders of volumes, where this process is root on the engine's own machine. Nothing but `home/` in them is ever a
 * user's, and no path of ours leads through that: so an empty home can be made, and a volume's identity be written and read,
 * without a container. What is in a home is for job containers only.
 *
 * Whether the engine's files are here is found by trying, never inferred from how the engine is spoken to: CodeHub in a
 * container has the engine's socket and not its files, and an engine that maps accounts would give a home to another one.
 */
export class VolumeFolders {
  readonly #engine: Engine;
  readonly #deploymentId: string;
  readonly #logger: Logger | undefined;
  #ours: Promise<boolean> | null = null;

  constructor(engine: Engine, deploymentId: string, logger?: Logger) {
    this.#engine = engine;
    this.#deploymentId = deploymentId;
    this.#logger = logger;
  }

  /** Where this process finds what is in the volume; null where only containers do. */
  async find({ Mountpoint }: { readonly Mountpoint: string }): Promise<string | null> {
    if (!this.#engine.isLocal) return null;
    this.#ours ??= this.#try().catch((error: unknown) => {
      this.#ours = null;
      throw error;
    });
    return (await this.#ours) && (await isFolderOfRoot(Mountpoint)) ? Mountpoint : null;
  }

  /** A volume that is made for this and removed again: its folder must come and go here, and take a home. */
  async #try(): Promise<boolean> {
    const name = `codehub-trial-${randomUUID()}`;
    const body = { Name: name, Labels: { [DEPLOYMENT]: this.#deploymentId, [ROLE]: "trial" } };
    const { Mountpoint: folder } = await this.#engine.need<{ Mountpoint: string }>("POST", "/volumes/create", { body });
    let works = false;
    try {
      works = await isFolderOfRoot(folder);
      if (works) await makeHome(folder);
    } catch (error) {
      works = false;
      this.#logger?.info({ error: (error as Error).message }, "homes are made by job containers");
    } finally {
      await this.#engine.call("DELETE", `/volumes/${name}`);
    }
    return works && !(await isFolderOfRoot(folder));
  }
}

/** As root in a container without other capabilities would; nobody else has the volume yet. */
export async function makeHome(folder: string): Promise<void> {
  const home = join(folder, "home");
  await chmod(folder, 0o711);
  await mkdir(home, { mode: 0o700 });
  await chown(home, WORKSPACE_UID, WORKSPACE_UID);
}

/** An engine that maps accounts gives its folders to the one that root is there. */
async function isFolderOfRoot(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true && found.uid === 0;
}

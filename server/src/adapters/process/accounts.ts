import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, chown, lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { OperationFailure } from "#ports/failure.ts";
import { readJson, writeJson } from "./record.ts";

const run = promisify(execFile);
const FIRST_UID = 20_000;
const UID_COUNT = 40_000;

/**
 * Which account of the system runs an owner's workspaces. Started by root every owner gets a uid of his own, for ever: it
 * is in the files of his homes and archives. Otherwise all would share the server's account, so there is one owner only.
 */
export class Accounts {
  readonly #file: string;
  readonly #asRoot: boolean;
  /**
   * Where this data directory begins to give out uids. Two servers on one machine do not know of each other: if both
   * began at the same place, an owner of one could read a home of the other, and removing a container, which ends every
   * process of its uid, would end the other's.
   */
  readonly #firstOffset: number;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string, asRoot: boolean) {
    this.#file = join(dataDir, "process-accounts.json");
    this.#asRoot = asRoot;
    this.#firstOffset = createHash("sha256").update(dataDir).digest().readUInt32BE(0) % UID_COUNT;
  }

  /** One at a time: two first starts must not be given the same uid. */
  uidFor(ownerId: string): Promise<number | null> {
    const turn = this.#queue.then(() => this.#assign(ownerId));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #assign(ownerId: string): Promise<number | null> {
    const known = (await readJson<Record<string, number>>(this.#file)) ?? {};
    const mine = known[ownerId];
    if (this.#asRoot) {
      if (mine !== undefined) return mine;
      const taken = new Set([...Object.values(known), ...(await systemUids())]);
      let offset = this.#firstOffset;
      while (taken.has(FIRST_UID + offset)) offset = (offset + 1) % UID_COUNT;
      const uid = FIRST_UID + offset;
      await writeJson(this.#file, { ...known, [ownerId]: uid });
      return uid;
    }
    if (mine === undefined && Object.keys(known).length > 0) {
      throw new OperationFailure(
        "ActionFailed",
        "PROCESS_RUNTIME_SINGLE_USER: this server does not run as root, so workspaces of different users would share one " +
          "account and could read each other's homes. Start CodeHub as root, or use RUNTIME=docker.",
      );
    }
    if (mine === undefined) await writeJson(this.#file, { [ownerId]: process.getuid?.() ?? 0 });
    return null;
  }
}

async function systemUids(): Promise<number[]> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  return passwd.split("\n").flatMap((line) => {
    const uid = line.split(":")[2];
    return uid ? [Number(uid)] : [];
  });
}

/**
 * Gives a home to its account. Its content first and the directory itself last: until then nobody but root can enter. A
 * process of an earlier account that was inside already can still swap directories for links, so no path of what lies
 * below is followed: `chown -R` goes from each directory it holds open to the next, and never through a link.
 */
export async function giveHome(volumeDir: string, home: string, uid: number): Promise<void> {
  const info = await lstat(home);
  if (!info.isDirectory()) throw new OperationFailure("ActionFailed", `${home} is not a directory.`);
  if (info.uid !== uid || info.gid !== uid) {
    await chown(home, 0, 0);
    await chmod(home, 0o700);
    await run("chown", ["-R", "-h", "-P", `${uid}:${uid}`, "--", home], { timeout: 240_000 });
  }
  // Closed until now: nobody enters a home that is being restored, or that is not its account's yet.
  await chmod(volumeDir, 0o711);
}

/** Whether an account may pass through every directory above a path, by the mode bits. */
export async function unreachableParent(path: string): Promise<string | null> {
  for (let dir = join(path, ".."); ; dir = join(dir, "..")) {
    if (((await lstat(dir)).mode & 0o001) === 0) return dir;
    if (dir === join(dir, "..")) return null;
  }
}

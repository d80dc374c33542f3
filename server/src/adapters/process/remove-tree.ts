import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, lchown, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

export interface RemovalLimits {
  /** How long the quick way may take, which the user himself can hold up. */
  readonly asUserMs: number;
  /** How long taking the rest apart may take; only somebody who keeps adding to it needs more. */
  readonly apartMs: number;
}

/**
 * Removes a directory of ours with everything in it, also with directories that belong to users. Their processes may
 * still run, and put links in the place of directories while we look: whoever follows a path of theirs with root's
 * rights can be led anywhere. So what a user owns is emptied with the user's own rights, and what is left of it is taken
 * from him, level by level, before root looks inside.
 *
 * `path` itself must be ours and lie in a directory of ours. False when it was not empty in time: what is left is closed
 * to everybody else, and can be removed by another call.
 */
export async function removeTree(path: string, limits: RemovalLimits): Promise<boolean> {
  try {
    await chmod(path, 0o700);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true;
    throw error;
  }
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await emptyAsOwner(join(path, entry.name), limits.asUserMs);
  }
  return await takeApart(path, performance.now() + limits.apartMs);
}

/**
 * The quick way, for nearly everything. It may end early, for a locked folder or because the user stopped it: it runs
 * with his rights, so he may do that. Its working directory is entered before root's rights are given up.
 */
async function emptyAsOwner(directory: string, limitMs: number): Promise<void> {
  const { uid, gid } = await lstat(directory);
  // What root owns is taken apart like the rest: something that a user owns may lie deeper in it.
  if (uid === 0) return;
  const account = process.getuid?.() === 0 ? { uid, gid } : {};
  const child = spawn("find", [".", "-xdev", "-mindepth", "1", "-delete"], {
    cwd: directory,
    env: { PATH: "/usr/bin:/bin" },
    stdio: "ignore",
    timeout: limitMs,
    killSignal: "SIGKILL",
    ...account,
  });
  await once(child, "close").catch(() => undefined);
}

/**
 * A directory that is root's alone cannot be changed by anybody else, whatever he has open in it: each one is taken over
 * first and read then, and what was read stays true. Directories below it come out to the top before it is their turn,
 * so every path goes through directories that were taken over, and none grows too long to be named.
 */
async function takeApart(top: string, until: number): Promise<boolean> {
  const waiting = [top];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (performance.now() > until) return false;
    await takeOver(directory);
    for (const entry of await readdir(directory, { withFileTypes: true, encoding: "buffer" })) {
      // Names are bytes, and need not be text.
      const path = Buffer.concat([Buffer.from(`${directory}/`), entry.name]);
      if (!entry.isDirectory()) {
        await unlink(path);
        continue;
      }
      const next = join(top, `.${randomUUID()}`);
      await rename(path, next);
      waiting.push(next);
    }
    if (directory !== top) await rmdir(directory);
  }
  await rmdir(top);
  return true;
}

async function takeOver(directory: string): Promise<void> {
  // The owner first: as long as it is the user's, he can set the mode as he likes.
  if (process.getuid?.() === 0) await lchown(directory, 0, 0);
  await chmod(directory, 0o700);
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

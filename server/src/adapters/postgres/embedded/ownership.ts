import { execFile } from "node:child_process";
import { chmod, lchown, lstat, mkdir, rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { Account } from "./account.ts";
import { EmbeddedPostgresError, explainSystemError } from "./trouble.ts";

const run = promisify(execFile);
/** Whom the first version ran PostgreSQL as. */
const NOBODY = 65_534;

/**
 * Makes a directory that only the account (and root) can enter, and refuses one that somebody else put there. One of the
 * first version's is taken from `nobody` before it is looked at again: he could put a link in its place until then.
 */
export async function makePrivate(path: string, account: Account): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw explainSystemError(error, path);
  });
  const first = await lstat(path);
  const acceptable = [account.uid, process.getuid?.(), ...(account.switchUser ? [NOBODY] : [])];
  if (account.switchUser && acceptable.includes(first.uid)) await lchown(path, 0, 0);
  const info = await lstat(path);
  if (!info.isDirectory() || !acceptable.includes(first.uid)) {
    throw new EmbeddedPostgresError(
      "unreadable",
      `${path} should be a private directory of the embedded PostgreSQL but belongs to somebody else. Remove it and start again.`,
    );
  }
  await chmod(path, 0o700);
  if (account.switchUser) await lchown(path, account.uid, account.gid);
}

/** Whether a tree that lies in a directory of root's has yet to be given to the account. */
export async function isForeign(tree: string, account: Account): Promise<boolean> {
  return account.switchUser && (await lstat(tree)).uid !== account.uid;
}

/**
 * Gives the account a tree that lies in a directory of root's. The tree is closed first and belongs to the account last:
 * after a crash in between it is root's, and this begins again. `chown -R` goes from each directory it holds open to the
 * next and never through a link, whatever a process of the earlier owner does inside meanwhile.
 */
export async function giveTree(tree: string, account: Account): Promise<void> {
  await lchown(tree, 0, 0);
  await chmod(tree, 0o700);
  await run("chown", ["-R", "-h", "-P", `${account.uid}:${account.gid}`, "--", tree]);
}

/** Removes a tree in a directory of ours, by a tool that follows no link; nobody else enters it meanwhile. */
export async function removeClosed(tree: string): Promise<void> {
  const info = await lstat(tree).catch(() => undefined);
  if (info === undefined) return;
  if (!info.isDirectory()) return await rm(tree);
  if (process.getuid?.() === 0) await lchown(tree, 0, 0);
  await chmod(tree, 0o700);
  await run("rm", ["-rf", "--one-file-system", "--", tree]);
}

import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "./git.ts";
import { removeFolder } from "./remove-folder.ts";

const TEMPORARY = ".codehub-clone-";

/** Where an attempt clones into: what has its final name was cloned whole. */
export const temporaryIn = (home: string, attempt: string, what = ""): string =>
  join(home, `${TEMPORARY}${attempt}${what}`);

/** What attempts left behind that were ended. No other job is at work on this home. */
export async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(TEMPORARY)) await removeFolder(join(home, name));
  }
}

export async function makeKnownHostsFolder(home: string): Promise<void> {
  await mkdir(join(home, ".ssh"), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Of how many names one is taken. */
const NAMES = 50;
const namesOf = (folder: string): string[] =>
  Array.from({ length: NAMES }, (_, index) => (index === 0 ? folder : `${folder}-${index + 1}`));

/** The folder that has this very repository already; null where none of the names that it would get does. */
export async function findProject(git: Git, home: string, folder: string, cloneUrl: string): Promise<string | null> {
  for (const name of namesOf(folder)) {
    const info = await lstat(join(home, name)).catch(() => null);
    if (info === null) return null;
    if (info.isDirectory() && (await hasRemote(git, join(home, name), cloneUrl))) return name;
  }
  return null;
}

export async function hasRemote(git: Git, path: string, cloneUrl: string): Promise<boolean> {
  // Only what is a repository itself: a plain folder may lie in one.
  const isTop = (await lstat(join(path, ".git")).catch(() => null)) !== null;
  if (!isTop) return false;
  const remote = await git.ask(path, "config", "--local", "--get", "remote.origin.url");
  return remote !== null && trimmed(remote) === trimmed(cloneUrl);
}

const trimmed = (address: string): string => address.replace(/\/+$/, "").replace(/\.git$/, "");

/** Takes the first name that nobody has. The kernel puts a folder over nothing but an empty one. */
export async function moveIntoPlace(from: string, home: string, folder: string): Promise<string> {
  for (const name of namesOf(folder)) {
    try {
      await rename(from, join(home, name));
      return name;
    } catch (error) {
      if (!TAKEN.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  throw new Error(`every name from ${folder} to ${folder}-${NAMES} is taken`);
}

const TAKEN: ReadonlySet<string> = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR"]);

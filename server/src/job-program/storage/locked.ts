import { chmodSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { JobFailure } from "../protocol.ts";
import { startTool } from "../tools.ts";
import { FOLDER, syncFolder } from "./identity.ts";
import { show } from "./tree-order.ts";

/** The modes that files and folders really have while they are open, by their path in the home, byte for byte. */
export type Modes = ReadonlyMap<string, number>;

/** Something that its owner may not read, and may give itself the right to. */
interface Locked {
  /** From the volume on; each character is one byte. */
  readonly path: string;
  readonly mode: number;
  readonly isFolder: boolean;
  readonly inode: number;
}

/** Beside the identity: what has to be locked again. It is there before the first lock is opened. */
const FILE = "locked";

/**
 * A job without root's rights reads what the home's owner may read, and an owner can lock files and folders against
 * itself. They are open while this works and locked again when it is over. A job that is killed in between leaves the list
 * of them on the volume, which `lockAgain` and every start of the workspace go by.
 */
export async function withLocksOpen<T>(volume: string, work: (modes: Modes) => Promise<T>): Promise<T> {
  if (readsEverything()) return await work(new Map());
  await lockAgain(volume);
  const found = await openLocks(volume);
  if (found.length === 0) return await work(new Map());
  try {
    return await work(new Map(found.map(({ path, mode }) => [path.slice("home/".length), mode])));
  } finally {
    await lockAgain(volume);
  }
}

/** What a job that was killed left open. The list is a script: what starts a workspace has a shell and not this program. */
async function lockAgain(volume: string): Promise<void> {
  const script = `cd "$1" && [ ! -e ${FOLDER}/${FILE} ] || { . ./${FOLDER}/${FILE} && rm ${FOLDER}/${FILE}; }`;
  await startTool("sh", ["-e", "-c", script, "sh", volume], "ignore", "ignore").finished;
}

/** Of a home that is made anew nothing is left to be locked. */
export async function forgetLocks(volume: string): Promise<void> {
  await rm(join(volume, FOLDER, FILE), { force: true });
}

async function openLocks(volume: string): Promise<Locked[]> {
  const all: Locked[] = [];
  for (let found = await findLocked(volume); found.length > 0; ) {
    all.push(...found);
    await record(volume, all);
    for (const { path, mode, isFolder } of found) {
      try {
        chmodSync(bytes(join(volume, path)), mode | (isFolder ? 0o500 : 0o400));
      } catch (error) {
        const what = `${show(bytes(path))} cannot be read, and not be made readable`;
        throw new JobFailure("ActionFailed", `the home cannot be archived: ${what}: ${(error as Error).message}`);
      }
    }
    found = found.filter(({ isFolder }) => isFolder).flatMap(({ path }) => lockedIn(volume, path, all));
  }
  return all;
}

/** Outside of folders that are locked themselves, in one pass over the home. */
async function findLocked(volume: string): Promise<Locked[]> {
  const told = "%y %m %i %P\\0";
  const folders = ["-type", "d", "(", "!", "-readable", "-o", "!", "-executable", ")", "-printf", told, "-prune"];
  const files = ["-type", "f", "!", "-readable", "-printf", told];
  const find = startTool("find", [join(volume, "home"), ...folders, "-o", ...files], "ignore", "pipe");
  const output = find.output === null ? Buffer.alloc(0) : await buffer(find.output);
  await find.finished;
  const lines = output.toString("latin1").split("\0").slice(0, -1);
  return lines.map((line) => {
    const [type, mode = "", inode = ""] = line.split(" ", 3);
    const name = line.split(" ").slice(3).join(" ");
    const path = name === "" ? "home" : `home/${name}`;
    return { path, mode: Number.parseInt(mode, 8), isFolder: type === "d", inode: Number(inode) };
  });
}

/** In a folder that was locked until now. A second name of a file that is open already counts with the mode it had. */
function lockedIn(volume: string, folder: string, known: readonly Locked[]): Locked[] {
  const before = new Map(known.map(({ inode, mode }) => [inode, mode]));
  const found: Locked[] = [];
  const walk = (path: string): void => {
    for (const name of readdirSync(bytes(join(volume, path)), { encoding: "buffer" })) {
      const inside = `${path}/${name.toString("latin1")}`;
      const stats = lstatSync(bytes(join(volume, inside)));
      const isFolder = stats.isDirectory();
      if (!isFolder && !stats.isFile()) continue;
      const mode = before.get(stats.ino) ?? stats.mode & 0o7777;
      const needed = isFolder ? 0o500 : 0o400;
      if ((mode & needed) !== needed) found.push({ path: inside, mode, isFolder, inode: stats.ino });
      else if (isFolder) walk(inside);
    }
  };
  walk(folder);
  return found;
}

/** Whole or not at all, and on the disk when it resolves. Run twice, or cut short and run again, it does the same. */
async function record(volume: string, locked: readonly Locked[]): Promise<void> {
  const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
  const opened = locked.filter(({ isFolder }) => isFolder).map(({ path }) => `chmod u+rx ${quoted(path)}\n`);
  const closed = locked.map(({ path, mode }) => `chmod 0${mode.toString(8).padStart(4, "0")} ${quoted(path)}\n`);
  const folder = join(volume, FOLDER);
  await mkdir(folder, { mode: 0o700, recursive: true });
  const draft = join(folder, `${FILE}.new`);
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(bytes([...opened, ...closed.toReversed()].join("")));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, FILE));
  await syncFolder(folder);
}

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

/** By the capabilities that pass all modes by. */
export function readsEverything(): boolean {
  const status = readFileSync("/proc/self/status", "latin1");
  const effective = Number.parseInt(/^CapEff:\s+([0-9a-f]+)$/m.exec(status)?.[1]?.slice(-1) ?? "0", 16);
  return (effective & 0b110) !== 0;
}

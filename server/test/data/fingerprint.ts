import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";

/** Larger files are sparse in these tests: they are read around powers of two and at the end, where data may lie. */
const READ_WHOLE = 256n * 2n ** 20n;
const PROBE = 64 * 1024;

/**
 * Everything a user can tell about a tree, as text, found with system calls and the `attr` and `acl` tools and with no
 * part of the code under test. Sockets are left out: they do not survive, and that is said.
 */
export function describeTree(root: string): string {
  const lines: string[] = [];
  const groups = new Map<bigint, string>();
  walk(Buffer.from(root), "", lines, groups);
  return [...lines, ...attributes(root)].join("\n");
}

export function fingerprint(root: string): string {
  return createHash("sha256").update(describeTree(root)).digest("hex");
}

function walk(path: Buffer, shown: string, lines: string[], groups: Map<bigint, string>): void {
  const stats = lstatSync(path, { bigint: true });
  if (stats.isSocket()) return;
  const facts = [`0${stats.mode.toString(8)}`, `${stats.uid}:${stats.gid}`, String(stats.mtimeNs)];
  if (stats.isCharacterDevice() || stats.isBlockDevice()) facts.push(`device ${stats.rdev}`);
  if (stats.isSymbolicLink()) facts.push(`-> ${readlinkSync(path, "buffer").toString("latin1")}`);
  if (stats.isFile()) facts.push(String(stats.size), contentOf(path, stats), sparseness(stats));
  if (!stats.isDirectory() && stats.nlink > 1n) {
    // Names of one inode are known by the first of them in this walk, which goes by name.
    if (!groups.has(stats.ino)) groups.set(stats.ino, shown);
    facts.push(`is ${groups.get(stats.ino)} (${stats.nlink})`);
  }
  lines.push(`${JSON.stringify(shown)} ${facts.join(" ")}`);
  if (!stats.isDirectory()) return;
  // Through the open folder: a path may be longer than the kernel takes at once.
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const here = Buffer.from(`/proc/self/fd/${folder}/`);
    const names = readdirSync(here, { encoding: "buffer" }).toSorted(Buffer.compare);
    for (const name of names) walk(Buffer.concat([here, name]), `${shown}/${name.toString("latin1")}`, lines, groups);
  } finally {
    closeSync(folder);
  }
}

/** Whether holes stayed holes; how many blocks exactly is the file system's business. */
function sparseness(stats: BigIntStats): string {
  return stats.size > 2n ** 20n && stats.blocks * 512n < stats.size / 2n ? "sparse" : "dense";
}

const chunk = Buffer.alloc(2 ** 20);

function contentOf(path: Buffer, stats: BigIntStats): string {
  const hash = createHash("sha256");
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (stats.size <= READ_WHOLE) {
      for (let n = readSync(file, chunk); n > 0; n = readSync(file, chunk)) hash.update(chunk.subarray(0, n));
    } else {
      const offsets = [stats.size - BigInt(PROBE), 0n];
      for (let at = BigInt(PROBE); at < stats.size; at *= 2n) offsets.push(at - BigInt(PROBE) / 2n);
      for (const at of offsets) hash.update(chunk.subarray(0, readSync(file, chunk, 0, PROBE, at)));
    }
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/** Names in these lists are relative, so that two places compare equal. Paths too long for the tools are left out. */
function attributes(root: string): string[] {
  const run = (program: string, args: string[]): string => {
    try {
      return execFileSync(program, args, {
        cwd: root,
        stdio: ["ignore", "pipe", "ignore"],
        maxBuffer: 2 ** 30,
      }).toString("latin1");
    } catch (error) {
      // They also fail for paths that are too long for them, on both sides alike.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new Error("needs the packages attr and acl");
      return String((error as { stdout?: Buffer }).stdout?.toString("latin1"));
    }
  };
  const lists = [
    run("getfattr", ["-R", "-P", "-h", "-d", "-m", "^user\\.", "-e", "hex", "."]),
    run("getfacl", ["-R", "-P", "-n", "-s", "-p", "."]),
  ];
  return lists.flatMap((list) => list.split("\n\n").toSorted());
}

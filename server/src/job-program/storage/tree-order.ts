import { hash } from "node:crypto";
import { refused } from "./tar-header.ts";

/**
 * The longest path that the kernel takes in one call. A user can make deeper trees step by step, and tar can read them,
 * but it cannot make them again: such a home must be refused while it is still there.
 */
const MAX_PATH_BYTES = 4095;

/**
 * Holds an archive to the one order in which this program writes it: the home first, each directory before what is in
 * it, names rising byte by byte.
 *
 * This is the whole defence against paths that lead elsewhere. An entry is accepted only inside a directory that the
 * archive itself made and has not left, and no name comes twice, so nothing can be written through a symbolic link, a
 * directory can never be replaced by a link, and `..` or an absolute path has no place to stand.
 */
export class TreeOrder {
  /** The directories that are open, from the home down, each with the last name seen in it. */
  readonly #open: { name: Buffer; last: Buffer | null }[] = [];
  /** Every directory seen, by a short hash of its path: targets of hard links must lie in one of them. */
  readonly #directories = new Set<number>();

  /** Accepts an entry's name, or refuses the archive. Returns the path relative to the home, empty for the home. */
  accept(name: Buffer, isDirectory: boolean): Buffer {
    const { path, steps } = relative(name, isDirectory);
    if (this.#open.length === 0) {
      if (path.length > 0 || !isDirectory) throw refused("it does not begin with the home directory");
      this.#enter(path, path);
      return path;
    }
    if (path.length === 0) throw refused("it has the home directory twice");
    const leaf = steps.pop() as Buffer;
    const isInside = steps.every((step, depth) => this.#open[depth + 1]?.name.equals(step) === true);
    if (!isInside) throw refused(`${show(path)} is not inside a directory of the archive`);
    this.#open.length = steps.length + 1;
    const parent = this.#open[steps.length] as { last: Buffer | null };
    if (parent.last !== null && Buffer.compare(parent.last, leaf) >= 0) throw refused(`${show(path)} is out of order`);
    parent.last = leaf;
    if (isDirectory) this.#enter(path, leaf);
    return path;
  }

  /** The target of a hard link as a path relative to the home; it must lie in a directory that the archive made. */
  acceptTarget(target: Buffer): Buffer {
    const { path } = relative(target, false);
    const slash = path.lastIndexOf(0x2f);
    if (path.length === 0 || !this.#directories.has(shortHash(path.subarray(0, Math.max(slash, 0))))) {
      throw refused(`a hard link leads to ${show(path)}, which is not inside a directory of the archive`);
    }
    return path;
  }

  #enter(path: Buffer, leaf: Buffer): void {
    this.#open.push({ name: leaf, last: null });
    this.#directories.add(shortHash(path));
  }
}

/** Names are written `./a/b`, directories with a slash at the end, the home itself `./`. */
function relative(name: Buffer, isDirectory: boolean): { path: Buffer; steps: Buffer[] } {
  if (name.length > MAX_PATH_BYTES) throw refused(`the path ${show(name)}… is longer than ${MAX_PATH_BYTES} bytes`);
  if (name.includes(0)) throw refused(`the name ${show(name)} contains a NUL byte`);
  if (name[0] !== 0x2e || name[1] !== 0x2f) throw refused(`the name ${show(name)} is not relative to the home`);
  const end = isDirectory && name.length > 2 && name[name.length - 1] === 0x2f ? name.length - 1 : name.length;
  const path = name.subarray(2, end);
  const steps = path.length > 0 ? split(path) : [];
  if (steps.some(isNoName)) throw refused(`the name ${show(name)} does not lead straight down`);
  return { path, steps };
}

/** Empty, `.` or `..`. */
function isNoName(step: Buffer): boolean {
  return step.length === 0 || (step[0] === 0x2e && (step.length === 1 || (step.length === 2 && step[1] === 0x2e)));
}

function split(path: Buffer): Buffer[] {
  const steps: Buffer[] = [];
  let from = 0;
  for (let slash = path.indexOf(0x2f); slash !== -1; slash = path.indexOf(0x2f, from)) {
    steps.push(path.subarray(from, slash));
    from = slash + 1;
  }
  steps.push(path.subarray(from));
  return steps;
}

/** 48 bits of sha256: small enough to keep for each of a million directories, too many to meet on purpose. */
function shortHash(path: Buffer): number {
  return hash("sha256", path, "buffer").readUIntBE(0, 6);
}

/** A path for people: whatever is not plain is escaped, and the length is bounded. */
export function show(path: Buffer): string {
  return JSON.stringify(path.subarray(0, 200).toString("latin1"));
}

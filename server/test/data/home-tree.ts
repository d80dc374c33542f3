import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import fc from "fast-check";

/** One thing in a generated home. `parent` counts the folders made so far; a name that is taken is left out. */
export interface Planted {
  readonly kind: "file" | "folder" | "symlink" | "hardlink" | "fifo";
  readonly parent: number;
  readonly name: Buffer;
  readonly mode: number;
  readonly owner: readonly [number, number];
  readonly mtime: number;
  /** Content in order: zeros that are written, zeros that are not, or bytes. */
  readonly content: readonly { readonly what: "zeros" | "hole" | "bytes"; readonly length: number }[];
  readonly target: Buffer;
  readonly attribute: Buffer | null;
  readonly acl: string | null;
}

const nameByte = fc.integer({ min: 1, max: 255 }).filter((byte) => byte !== 0x2f);
const name = fc
  .oneof(
    { weight: 6, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 255, maxLength: 255 }) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(..."a\nb|-rf|--help|*| |\t|…|é|e\u0301|.codehub|PaxHeaders|a=b|%41".split("|"))
        .map((text) => new TextEncoder().encode(text)),
    },
  )
  .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0xfe : byte))))
  .filter((bytes) => !bytes.equals(Buffer.from(".")) && !bytes.equals(Buffer.from("..")));

const planted: fc.Arbitrary<Planted> = fc.record({
  kind: fc.constantFrom("file", "file", "file", "folder", "folder", "symlink", "hardlink", "fifo"),
  parent: fc.nat(1000),
  name,
  mode: fc.constantFrom(0o644, 0o600, 0o755, 0o000, 0o777, 0o4755, 0o2775, 0o1777, 0o200, 0o500),
  owner: fc.tuple(fc.constantFrom(1000, 1, 65534, 3_000_000, 2_097_152), fc.constantFrom(1000, 0, 65534, 4_000_000)),
  mtime: fc.oneof(fc.integer({ min: 0, max: 4_000_000_000 }), fc.double({ min: -1e9, max: 4e9, noNaN: true })),
  content: fc.array(
    fc.record({
      what: fc.constantFrom("zeros", "hole", "bytes", "bytes"),
      length: fc.oneof(fc.nat(600), fc.nat(20_000), fc.constantFrom(4096, 8192, 65_536, 3_000_000)),
    }),
    { maxLength: 5 },
  ),
  target: fc.oneof(
    fc.constantFrom("/etc/passwd", "../../../..", ".", "nowhere", "/").map((text) => Buffer.from(text)),
    fc.array(nameByte, { minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  ),
  attribute: fc.option(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    { freq: 3 },
  ),
  acl: fc.option(fc.constantFrom("u:33:rwx", "g:4242:r", "u:1000:---,m::rw"), { freq: 4 }),
});

export const plantedTree: fc.Arbitrary<Planted[]> = fc.array(planted, { minLength: 1, maxLength: 60 });

/** Makes the tree in an empty home. */
export function plant(home: string, things: readonly Planted[], owner?: number): void {
  const folders: Buffer[] = [Buffer.from(home)];
  const files: Buffer[] = [];
  const made: { path: Buffer; thing: Planted }[] = [];
  for (const thing of things) {
    const parent = folders[thing.parent % folders.length] as Buffer;
    const path = Buffer.concat([parent, Buffer.from("/"), thing.name]);
    // Longer ones cannot be made in one call; the zoo has a path beyond the limit.
    if (path.length > 3000) continue;
    if (!make(path, thing, files)) continue;
    if (thing.kind === "folder") folders.push(path);
    if (thing.kind !== "hardlink") made.push({ path, thing });
    // Not pipes: tar knows no second name of one, and two names come back as two pipes.
    if (thing.kind === "file" || thing.kind === "symlink") files.push(path);
  }
  // From the end: what a folder contains changes its time.
  const owned = (thing: Planted): Planted => (owner === undefined ? thing : ownedBy(owner, thing));
  for (const { path, thing } of made.toReversed()) finish(path, owned(thing));
}

/** An owner without root's rights cannot restore attributes under an access list that keeps it from writing. */
function ownedBy(owner: number, thing: Planted): Planted {
  const mayWrite = thing.kind === "file" ? 0o600 : 0o700;
  const acl = (thing.mode & mayWrite) === mayWrite ? thing.acl : null;
  return { ...thing, owner: [owner, owner], acl };
}

function make(path: Buffer, thing: Planted, files: readonly Buffer[]): boolean {
  try {
    switch (thing.kind) {
      case "folder":
        mkdirSync(path);
        return true;
      case "symlink":
        symlinkSync(thing.target, path);
        return true;
      case "hardlink": {
        const target = files[thing.parent % Math.max(files.length, 1)];
        if (target === undefined) return false;
        linkSync(target, path);
        return true;
      }
      case "fifo":
        return makeFifo(path);
      case "file":
        return writeContent(path, thing);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The tool takes text only; other names have no pipe. */
function makeFifo(path: Buffer): boolean {
  const text = path.toString("utf8");
  if (!Buffer.from(text).equals(path)) return false;
  try {
    execFileSync("mkfifo", ["--", text], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function writeContent(path: Buffer, thing: Planted): boolean {
  const file = openSync(path, "wx");
  let at = 0;
  for (const [i, { what, length }] of thing.content.entries()) {
    if (what !== "hole" && length > 0) {
      const bytes = Buffer.alloc(length, what === "zeros" ? 0 : `${i} ${length} ${path.length} abc\0\0`);
      writeSync(file, bytes, 0, length, at);
    }
    at += length;
  }
  ftruncateSync(file, at);
  closeSync(file);
  return true;
}

function finish(path: Buffer, thing: Planted): void {
  const [uid, gid] = process.getuid?.() === 0 ? thing.owner : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  lchownSync(path, uid, gid);
  if (thing.kind === "file" || thing.kind === "folder") {
    chmodSync(path, process.getuid?.() === 0 ? thing.mode : thing.mode | 0o700);
    if (thing.attribute !== null || thing.acl !== null) {
      const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      setAttributes(handle, thing);
      closeSync(handle);
    }
  }
  lutimesSync(path, thing.mtime, thing.mtime);
}

/** Through the open file, because the tools take names that are text only. */
function setAttributes(handle: number, thing: Planted): void {
  const path = `/proc/${process.pid}/fd/${handle}`;
  if (thing.attribute !== null) {
    const value = `0x${thing.attribute.toString("hex")}`;
    execFileSync("setfattr", ["-n", `user.test.${thing.attribute.length % 3}`, "-v", value, path]);
    execFileSync("setfattr", ["-n", "user.odd=%41 name", "-v", "x", path]);
  }
  if (thing.acl !== null) {
    const scope = fstatSync(handle).isDirectory() ? ["-d"] : [];
    execFileSync("setfacl", [...scope, "-m", thing.acl, path]);
  }
}

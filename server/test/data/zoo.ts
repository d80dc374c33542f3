import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  ftruncateSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** A home with one of everything that has ever gone wrong in an archive. Returns how many sockets are in it. */
export async function plantZoo(home: string, owner?: number): Promise<number> {
  const at = (name: string) => join(home, name);
  sparseFile(at("one-terabyte"), 2 ** 40, [12_345, 2 ** 32 - 3, 2 ** 39 + 777, 2 ** 40 - 10]);
  sparseFile(at("more-than-4-gigabytes"), 5 * 2 ** 30 + 13, [2 ** 32 - 4, 5 * 2 ** 30]);
  sparseFile(at("only-a-hole"), 3 * 2 ** 20, []);
  writeFileSync(
    at("zeros-that-were-written"),
    Buffer.concat([Buffer.alloc(100_001), Buffer.from("x"), Buffer.alloc(9000)]),
  );
  writeFileSync(at("empty"), "");
  mkdirSync(at("empty-folder"));
  writeFileSync(Buffer.concat([Buffer.from(`${home}/new\nline and `), Buffer.from([0xff, 0xfe, 0x80])]), "bytes");
  writeFileSync(at("n".repeat(255)), "a name of 255 bytes");
  mkdirSync(at("locked"));
  writeFileSync(at("locked/inside"), "hidden");
  symlinkSync("/etc/passwd", at("absolute-link"));
  symlinkSync("../../..", at("link-upwards"));
  symlinkSync("x".repeat(4000), at("long-link"));
  writeFileSync(at("twin-a"), "twins");
  linkSync(at("twin-a"), at("twin-b"));
  linkSync(at("absolute-link"), at("twin-of-a-link"));
  execFileSync("mkfifo", [at("pipe")]);
  deepPath(home, 20, 200);
  execFileSync("setfattr", ["-n", "user.comment", "-v", "on a file", at("twin-a")]);
  execFileSync("setfattr", ["-n", "user.binary", "-v", "0x00ff0a3d00", at("empty-folder")]);
  execFileSync("setfacl", ["-m", "u:33:rwx,g:4242:r", at("empty")]);
  execFileSync("setfacl", ["-d", "-m", "u:33:rx", at("empty-folder")]);
  writeFileSync(at("setuid"), "#!/bin/sh\n");
  mkdirSync(at("shared"));
  const sockets = [await leaveSocket(home, "socket"), await leaveSocket(home, "another\nsocket")];
  if (process.getuid?.() === 0) {
    // The mark that an overlay file system leaves for a removed file: any user may make one.
    execFileSync("mknod", [at("whiteout"), "c", "0", "0"]);
    chownSync(at("setuid"), 1000, 1000);
    chownSync(at("shared"), 1000, 1000);
    chownSync(at("pipe"), 3_000_000, 3_000_001);
    chownSync(home, 1000, 1000);
    giveAll(home, owner);
  }
  chmodSync(at("setuid"), 0o4755);
  // As git makes them for a repository that is shared with a group.
  chmodSync(at("shared"), 0o2775);
  chmodSync(at("locked/inside"), 0o000);
  chmodSync(at("locked"), process.getuid?.() === 0 ? 0o000 : 0o700);
  utimesSync(at("empty"), -86_400.5, -86_400.5);
  utimesSync(at("zeros-that-were-written"), 5_000_000_000.25, 5_000_000_000.25);
  lutimesSync(at("absolute-link"), 1_234_567_890.125, 1_234_567_890.125);
  utimesSync(home, 1_700_000_000.123, 1_700_000_000.123);
  return sockets.length;
}

/** Before modes are set: a new owner takes a file's right to run as somebody else. */
export function giveAll(home: string, owner: number | undefined): void {
  if (owner !== undefined) execFileSync("chown", ["-hR", `${owner}:${owner}`, home]);
}

function sparseFile(path: string, size: number, offsets: readonly number[]): void {
  const file = openSync(path, "wx");
  ftruncateSync(file, size);
  for (const offset of offsets)
    writeSync(file, Buffer.from("data in the middle".slice(0, size - offset)), 0, undefined, offset);
  closeSync(file);
}

/** Made step by step, as a user would with `cd`: this way a path can be longer than one call can name. */
export function deepPath(home: string, depth: number, length: number): void {
  const script = `for i in $(seq ${depth}); do mkdir "$1" && cd "$1"; done; echo deep > file`;
  const { status } = spawnSync("bash", ["-c", script, "deep", "d".repeat(length)], { cwd: home });
  if (status !== 0) throw new Error("the deep path could not be made");
}

/** A socket that nobody listens on any more, as an editor leaves it. */
async function leaveSocket(home: string, name: string): Promise<string> {
  // Through a descriptor: the path of a socket may not be long, and that of a volume is.
  const folder = openSync(home, "r");
  const path = `/proc/self/fd/${folder}/${name}`;
  const server = createServer().listen(path);
  await once(server, "listening");
  // Closing removes the file; its second name stays.
  linkSync(path, `${path}.left`);
  server.close();
  await once(server, "close");
  closeSync(folder);
  return path;
}

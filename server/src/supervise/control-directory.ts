import { createHash } from "node:crypto";
import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** What the kernel's address of a socket holds, without the closing zero. */
const LONGEST_SOCKET_BYTES = 107;

/**
 * Where proxy and server meet: a socket in a directory that nobody else enters, below the data directory if its path is short
 * enough. By the port's number, because several replicas of one deployment may share a machine and its data directory.
 */
export async function controlSocket(dataDir: string, port: number): Promise<string> {
  const name = `socket-${port}`;
  const wanted = path.resolve(dataDir, "control");
  const digest = createHash("sha256").update(wanted).digest("hex").slice(0, 16);
  const isShort = Buffer.byteLength(path.join(wanted, name)) <= LONGEST_SOCKET_BYTES;
  const directory = isShort ? wanted : path.join(tmpdir(), `codehub-control-${digest}`);
  // What is made above it is passed through by others too: PostgreSQL, and workspaces as processes, have accounts of their own.
  await mkdir(path.dirname(directory), { recursive: true, mode: 0o755 });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const info = await lstat(directory);
  if (!info.isDirectory() || info.uid !== process.getuid?.())
    throw new Error(`${directory} should be a directory of CodeHub's alone. Remove it and start again.`);
  await chmod(directory, 0o700);
  return path.join(directory, name);
}

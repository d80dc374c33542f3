import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { ADDRESSES_VARIABLE, type Greeting, type JobAddresses, PROTOCOL_VERSION, SOCKET_VARIABLE } from "./protocol.ts";

/**
 * What a program that reads or writes the archive is given as its stdin or stdout. A function makes one end of a pipe when
 * the program is started, and not before: of a program that is never started nobody waits at the other end.
 */
export type ArchiveEnd = "inherit" | Socket | (() => number);

/** Where the archive goes: past this process, or by it to and from addresses. */
export type ArchiveWay = { readonly archive: ArchiveEnd } | { readonly addresses: JobAddresses };

interface Way {
  readonly greeting: Greeting;
  readonly way: ArchiveWay;
}

/** A file, or a folder with the pieces of one; what a cluster keeps there for itself has names that begin with two dots. */
function readPieces(path: string): string {
  if (!statSync(path).isDirectory()) return readFileSync(path, "utf8");
  const names = readdirSync(path).filter((name) => !name.startsWith(".."));
  return Buffer.concat(names.toSorted().map((name) => readFileSync(join(path, name)))).toString("utf8");
}

/**
 * The server's socket if one is named and there, else the standard streams: whether the engine that made this container
 * shares a file system with the server is known only by trying.
 */
export async function openWay(env: NodeJS.ProcessEnv): Promise<Way> {
  const protocol = PROTOCOL_VERSION;
  const { [ADDRESSES_VARIABLE]: file, [SOCKET_VARIABLE]: path } = env;
  if (file !== undefined) {
    const addresses = JSON.parse(readPieces(file)) as JobAddresses;
    return { greeting: { protocol, bytes: "addresses" }, way: { addresses } };
  }
  if (path === undefined) return { greeting: { protocol, bytes: "streams" }, way: { archive: "inherit" } };
  // Never read from here: every byte is for the program that it is handed to.
  const socket = connect(path).pause();
  try {
    await once(socket, "connect");
  } catch (error) {
    const because = (error as Error).message;
    return { greeting: { protocol, bytes: "streams", because }, way: { archive: "inherit" } };
  }
  socket.on("error", () => {});
  socket.unref();
  return { greeting: { protocol, bytes: "socket" }, way: { archive: socket } };
}

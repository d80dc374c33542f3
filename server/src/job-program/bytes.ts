import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Greeting, PROTOCOL_VERSION } from "./protocol.ts";

/** What a program that reads or writes the archive is given as its stdin or stdout. */
export type ArchiveEnd = "inherit" | Socket;

interface Way {
  readonly greeting: Greeting;
  readonly archive: ArchiveEnd;
}

/**
 * The server's socket if one is named and there, else the standard streams: whether the engine that made this container
 * shares a file system with the server is known only by trying.
 */
export async function openWay(path: string | undefined): Promise<Way> {
  const protocol = PROTOCOL_VERSION;
  if (path === undefined) return { greeting: { protocol, bytes: "streams" }, archive: "inherit" };
  // Never read from here: every byte is for the program that it is handed to.
  const socket = connect(path).pause();
  try {
    await once(socket, "connect");
  } catch (error) {
    const because = (error as Error).message;
    return { greeting: { protocol, bytes: "streams", because }, archive: "inherit" };
  }
  socket.on("error", () => {});
  socket.unref();
  return { greeting: { protocol, bytes: "socket" }, archive: socket };
}

import { unlink } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { closeServer } from "#proxy/door/close-server.ts";
import { PARSER_LIMIT_BYTES } from "#proxy/wire/head-size.ts";

/** What our proxy adds to a head that it has let in. */
const ADDED_BYTES = 1_024;

/**
 * Listens on a socket of this machine that only its owner may connect to, for our own proxy. That one has looked at heads
 * and bodies already, and keeps its connections for as long as we live.
 */
export async function listenOnSocket(
  listener: RequestListener,
  path: string,
  onFault: (error: unknown) => void,
): Promise<{ readonly close: () => Promise<void> }> {
  await removeLeftover(path);
  const server = createServer({ maxHeaderSize: PARSER_LIMIT_BYTES + ADDED_BYTES, requestTimeout: 0 }, listener);
  server.keepAliveTimeout = 0;
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    // Nobody may connect between the moment at which it is made and the one at which it is closed to others.
    const umask = process.umask(0o177);
    server.listen(path, done);
    process.umask(umask);
  }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Cannot listen on CONTROL_SOCKET=${path} (${error.code}). Is its directory there?`, {
      cause: error,
    });
  });
  server.on("error", onFault);
  return { close: () => closeServer(server) };
}

const LOOK_MS = 20;

/**
 * Resolves when somebody answers there, or when that has taken too long. A proxy that listens before its server does would
 * take requests that another replica could answer.
 */
export async function untilAnswered(path: string, limitMs: number): Promise<void> {
  for (const deadline = performance.now() + limitMs; performance.now() < deadline; ) {
    if (await isAnswered(path)) return;
    await delay(LOOK_MS);
  }
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });

/** A killed process leaves its socket behind. One that somebody answers at is not touched. */
async function removeLeftover(path: string): Promise<void> {
  if (await isAnswered(path)) {
    const cause = Object.assign(new Error("in use"), { code: "EADDRINUSE" });
    throw new Error(`Another CodeHub listens on CONTROL_SOCKET=${path}. Stop it, or name another socket.`, { cause });
  }
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

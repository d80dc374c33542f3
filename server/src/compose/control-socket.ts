import { unlink } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import net from "node:net";
import { PARSER_LIMIT_BYTES } from "#proxy/wire/head-size.ts";

/** What our proxy adds to a head that it has let in. */
const ADDED_BYTES = 1_024;
const RESTING_LOOK_MS = 50;

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
  return {
    close: async () => {
      const closed = new Promise<void>((done) => server.close(() => done()));
      // Those that are in use now rest when they are done, and our proxy would keep them.
      const resting = setInterval(() => server.closeIdleConnections(), RESTING_LOOK_MS);
      await closed.finally(() => clearInterval(resting));
    },
  };
}

/** A killed process leaves its socket behind. One that somebody answers at is not touched. */
async function removeLeftover(path: string): Promise<void> {
  const answered = await new Promise<boolean>((resolve) => {
    const probe = net.connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (answered) {
    const cause = Object.assign(new Error("in use"), { code: "EADDRINUSE" });
    throw new Error(`Another CodeHub listens on CONTROL_SOCKET=${path}. Stop it, or name another socket.`, { cause });
  }
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { SOCKET_VARIABLE } from "#job-program/protocol.ts";
import type { JobBytes, JobChannel } from "#jobs/job-channel.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Logger } from "#ports/logger.ts";

/** Where a job sees its folder. */
const TARGET = "/run/codehub";
const NAME = "socket";
/** A job connects before it greets; the connection can only be a moment behind the greeting. */
const CONNECT_MS = 30_000;
/** Long after anybody waits for a connection there. */
const LEFTOVER_MS = 600_000;

/**
 * Sockets of this server for storage jobs on an engine of this machine: bytes then pass neither the engine nor its relay of
 * each container. Each job has a folder of its own with a name that nobody can guess, mounted into its container and
 * into no other; nobody else of this machine may enter it but root.
 *
 * Whether the engine has this machine's files is found by trying. Where it refuses the mount, or a job does not find
 * the socket, jobs use the engine's streams until the server is started again.
 */
export class JobSockets {
  readonly #directory: string;
  readonly #logger: Logger | undefined;
  #usable = true;
  #swept = false;

  constructor(directory: string, logger?: Logger) {
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Null where none can be had: the engine's streams work everywhere. */
  async open(): Promise<JobChannel | null> {
    if (!this.#usable) return null;
    try {
      const folder = await this.#makeFolder();
      return await SocketChannel.listen(folder);
    } catch (error) {
      this.giveUp((error as Error).message);
      return null;
    }
  }

  giveUp(why: string): void {
    if (!this.#usable) return;
    this.#usable = false;
    this.#logger?.info(
      { why },
      "storage jobs use the engine's streams, because they do not reach a socket of this server",
    );
  }

  async #makeFolder(): Promise<string> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await chmod(this.#directory, 0o700);
    const folder = join(this.#directory, randomBytes(16).toString("hex"));
    await mkdir(folder, { mode: 0o700 });
    if (!this.#swept) await this.#sweep(folder);
    this.#swept = true;
    return folder;
  }

  /** What a server left that was killed between making a folder and its job's connection. Ages by the disk's own clock. */
  async #sweep(newest: string): Promise<void> {
    const { mtimeMs: now } = await stat(newest);
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      const made = await stat(path).catch(() => null);
      if (made !== null && now - made.mtimeMs > LEFTOVER_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

/** One socket for one connection: the first. Whoever comes later finds nobody. */
class SocketChannel implements JobChannel {
  readonly mount: JobChannel["mount"];
  readonly variable = { name: SOCKET_VARIABLE, value: `${TARGET}/${NAME}` };
  readonly #folder: string;
  readonly #server: Server;
  readonly #connected = Promise.withResolvers<Socket>();
  #taken = false;

  static async listen(folder: string): Promise<SocketChannel> {
    // Both ways end by themselves: an archive that was sent to its end must not cut off the job's own.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    try {
      server.listen(join(folder, NAME), 1);
      await once(server, "listening");
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return new SocketChannel(folder, server);
  }

  private constructor(folder: string, server: Server) {
    this.#folder = folder;
    this.#server = server;
    this.mount = { source: folder, target: TARGET };
    this.#connected.promise.catch(() => {});
    let first = true;
    server.on("connection", (socket) => {
      socket.on("error", () => {});
      if (!first) {
        socket.destroy();
        return;
      }
      first = false;
      this.#connected.resolve(socket);
      this.#stopListening().catch(() => {});
    });
  }

  async take(): Promise<JobBytes> {
    this.#taken = true;
    const tooLate = setTimeout(() => this.#connected.reject(absent()), CONNECT_MS);
    try {
      const socket = await this.#connected.promise;
      return { input: socket, output: socket };
    } finally {
      clearTimeout(tooLate);
    }
  }

  async close(): Promise<void> {
    this.#connected.reject(absent());
    if (!this.#taken) this.#connected.promise.then((socket) => socket.destroy()).catch(() => {});
    await this.#stopListening();
  }

  async #stopListening(): Promise<void> {
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function absent(): OperationFailure {
  return new OperationFailure("ActionFailed", "the storage job said that it had connected, and no connection came");
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Binaries, provideBinaries } from "./binaries.ts";
import { EMBEDDED_USER, prepareDataDirectory } from "./data-directory.ts";
import { makePrivate, removeClosed } from "./ownership.ts";
import { OwnershipGuard } from "./ownership-guard.ts";
import { type Place, preparePlace } from "./place.ts";
import {
  allEnded,
  endPostmaster,
  ensureRunning,
  findRunning,
  isPostmasterOf,
  type LaunchOptions,
  type Postmaster,
  reload,
} from "./postmaster.ts";
import { EmbeddedPostgresError } from "./trouble.ts";

export type EmbeddedPostgresOptions = LaunchOptions & {
  /** Everything lives below this directory, usually DATA_DIR/postgres. It is made if it is not there. */
  dir: string;
  /** Used instead of `dir` when root starts us and PostgreSQL's user cannot pass through a directory above `dir`. */
  fallbackDir: string;
  /** Told about what an operator may want to know: adoption, a restart after a crash, a restart that failed. */
  report?: (message: string) => void;
};

/**
 * The database that CodeHub brings along: PostgreSQL's own programs under our own supervision.
 *
 * It takes over no signal: the composition root stops everything that uses the database first and calls `stop` last.
 * If the program is killed instead, PostgreSQL goes on and the next start adopts it. If PostgreSQL is killed, it is
 * started again, and the pools reconnect.
 */
export class EmbeddedPostgres implements AsyncDisposable {
  readonly url: string;
  readonly adopted: boolean;
  readonly #place: Place;
  readonly #binaries: Binaries;
  readonly #options: EmbeddedPostgresOptions;
  readonly #guard: OwnershipGuard;
  #postmaster: Postmaster;
  #watch: NodeJS.Timeout | undefined;
  #restarting: Promise<void> | undefined;
  #stopped = false;
  /** Whether the lock that says whose it is is held; after a restart it is taken again, until that has worked. */
  #guarded = true;

  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const place = await preparePlace(options.dir, options.fallbackDir);
    const binaries = await provideBinaries(place.account, place.rootDir);
    await prepareDataDirectory(place, binaries, async () => {
      options.report?.(`${place.dataDir} is given to ${place.account.name}, which nothing else on this machine uses`);
      await endOrphan(place, options);
    });
    await makePrivate(place.socketDir, place.account);
    const postmaster = await ensureRunning(place, binaries, options);
    if (postmaster.adopted) reload(postmaster);
    const url = await connectionUrl(place, postmaster, options);
    const guard = await OwnershipGuard.acquire(url, place.rootDir);
    options.report?.(
      postmaster.adopted
        ? "adopted the embedded PostgreSQL that was still running"
        : `embedded PostgreSQL started in ${place.rootDir}`,
    );
    return new EmbeddedPostgres(place, binaries, options, postmaster, guard, url);
  }

  /** The address of the server that runs in this directory, whoever owns it; null where none does. */
  static async find(where: Pick<EmbeddedPostgresOptions, "dir" | "fallbackDir">): Promise<string | null> {
    const place = await preparePlace(where.dir, where.fallbackDir);
    const running = await findRunning(place.dataDir);
    return running === undefined ? null : await connectionUrl(place, running, {});
  }

  /**
   * Ends the server in this directory if it is the one behind this address and its owner is gone: once everybody else has
   * left. Of several who ask, the first does it.
   */
  static async endLent(where: Pick<EmbeddedPostgresOptions, "dir" | "fallbackDir">, url: string): Promise<void> {
    const place = await preparePlace(where.dir, where.fallbackDir);
    const running = await findRunning(place.dataDir);
    if (running === undefined || (await connectionUrl(place, running, {})) !== url) return;
    const guard = await OwnershipGuard.acquire(url, place.rootDir, 0).catch((error: unknown) => {
      if (error instanceof EmbeddedPostgresError && error.kind === "in-use") return null;
      throw error;
    });
    if (guard === null) return;
    await guard.untilAlone();
    await guard.release();
    await endPostmaster(running.pid, place.dataDir);
    await removeSockets(place);
  }

  private constructor(
    place: Place,
    binaries: Binaries,
    options: EmbeddedPostgresOptions,
    postmaster: Postmaster,
    guard: OwnershipGuard,
    url: string,
  ) {
    this.#place = place;
    this.#binaries = binaries;
    this.#options = options;
    this.#postmaster = postmaster;
    this.#guard = guard;
    this.url = url;
    this.adopted = postmaster.adopted;
    this.#watchNext(1_000);
  }

  get pid(): number {
    return this.#postmaster.pid;
  }

  get rootDir(): string {
    return this.#place.rootDir;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#watch);
    await this.#restarting;
    await this.#guard.release();
    await endPostmaster(this.#postmaster.pid, this.#place.dataDir);
    await removeSockets(this.#place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  // An adopted server is nobody's child, so its end is seen by looking, not by an exit event.
  #watchNext(afterMs: number): void {
    this.#watch = setTimeout(() => {
      this.#restarting = this.#restartIfDead(afterMs);
    }, afterMs).unref();
  }

  async #restartIfDead(afterMs: number): Promise<void> {
    let nextMs = 1_000;
    try {
      if (!(await isPostmasterOf(this.#postmaster.pid, this.#place.dataDir))) {
        this.#options.report?.(`the embedded PostgreSQL has ended: starting it again`);
        this.#guarded = false;
        this.#postmaster = await ensureRunning(this.#place, this.#binaries, this.#options);
      }
      if (!this.#guarded) {
        await this.#guard.renew();
        this.#guarded = true;
      }
    } catch (error) {
      nextMs = Math.min(afterMs * 2, 30_000);
      this.#options.report?.(`the embedded PostgreSQL could not be started again: ${String(error)}`);
    }
    if (!this.#stopped) {
      this.#watchNext(nextMs);
    }
  }
}

/** A socket's directory among the temporary files would be the only thing left of a data directory that is removed. */
async function removeSockets(place: Place): Promise<void> {
  if (!place.socketDir.startsWith(place.rootDir)) await removeClosed(place.socketDir);
}

/** A server of an earlier owner is ended before its files change hands, unless another program still uses it. */
async function endOrphan(place: Place, options: LaunchOptions): Promise<void> {
  const running = await findRunning(place.dataDir);
  if (running !== undefined) {
    const guard = await OwnershipGuard.acquire(await connectionUrl(place, running, options), place.rootDir);
    await guard.release();
    await endPostmaster(running.pid, place.dataDir);
  }
  await allEnded(place.dataDir);
}

async function connectionUrl(place: Place, postmaster: Postmaster, options: LaunchOptions): Promise<string> {
  const password = encodeURIComponent((await readFile(place.passwordFile, "utf8")).trim());
  if (options.tcpPort !== undefined) {
    return `postgres://${EMBEDDED_USER}:${password}@127.0.0.1:${postmaster.port}/${EMBEDDED_USER}`;
  }
  const socketDir = encodeURIComponent(postmaster.socketDir || join(place.rootDir, "run"));
  return `postgres://${EMBEDDED_USER}:${password}@localhost:${postmaster.port}/${EMBEDDED_USER}?host=${socketDir}`;
}

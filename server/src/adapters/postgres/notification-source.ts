import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "#ports/logger.ts";
import type { NotificationListener, NotificationSource } from "#ports/notifications.ts";
import { withSettings } from "./connection.ts";
import { COORDINATOR_ROLE, type DatabaseRole } from "./roles.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
// A dead connection looks like silence: asking now and then tells the two apart.
const CHECK_EVERY_MS = 5_000;
const CHECK_TIMEOUT_MS = 5_000;

/** What the database says by itself, on a connection of their own that is made anew whenever it breaks. */
export class PostgresNotificationSource implements NotificationSource {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #role: DatabaseRole;

  constructor(url: string, logger: Logger, role: DatabaseRole = COORDINATOR_ROLE) {
    this.#url = url;
    this.#logger = logger;
    this.#role = role;
  }

  async listen(channels: readonly string[], listener: NotificationListener, signal: AbortSignal): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        await this.#listenOnce(channels, listener, signal, () => {
          waitMs = FIRST_WAIT_MS;
        });
      } catch (error) {
        this.#logger.warn({ error: String(error) }, "the connection that listens for changes was lost");
      }
      listener.disconnected?.();
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }

  /** Resolves when the signal aborts, rejects when the connection is lost. */
  async #listenOnce(
    channels: readonly string[],
    listener: NotificationListener,
    signal: AbortSignal,
    onConnected: () => void,
  ): Promise<void> {
    const client = new pg.Client({
      connectionString: withSettings(this.#url, { role: this.#role, tcp_keepalives_idle: 5 }),
      application_name: "codehub listener",
      connectionTimeoutMillis: 5_000,
      query_timeout: CHECK_TIMEOUT_MS,
      keepAlive: true,
    });
    const done = new AbortController();
    const over = new Promise<void>((resolve, reject) => {
      client.on("error", reject);
      client.on("end", () => reject(new Error("the server closed the connection")));
      signal.addEventListener("abort", () => resolve(), { once: true, signal: done.signal });
    });
    // It is awaited below; until then a rejection must not count as one that nobody handles.
    over.catch(() => undefined);
    client.on("notification", ({ channel, payload }) => listener.notified(channel, payload ?? ""));
    let checking: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      for (const channel of channels) {
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      }
      onConnected();
      listener.connected();
      checking = setInterval(() => {
        client.query("SELECT 1").catch((error: Error) => client.emit("error", error));
      }, CHECK_EVERY_MS);
      await over;
    } finally {
      clearInterval(checking);
      done.abort();
      client.removeAllListeners("notification");
      await endQuietly(client);
    }
  }
}

async function endQuietly(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => {
    const { connection } = client as unknown as { connection?: { stream?: { readonly destroy: () => void } } };
    connection?.stream?.destroy();
  }, 1_000);
  await client.end().catch(() => undefined);
  clearTimeout(cut);
}

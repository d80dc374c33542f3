import type { Bus } from "#ports/bus.ts";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { NotificationSource } from "#ports/notifications.ts";
import {
  type ChangeMessage,
  type Channels,
  checkChannel,
  proxyChannel,
  resyncChannel,
  userChannel,
  wakeChannels,
} from "./channels.ts";

/** The triggers' channels and what each becomes on the bus. */
const KINDS = { ws_sse: "updated", ws_deleted: "deleted", ws_progress: "progress" } as const;
const WAKE = "ws_wake";
const CHECK = "check_asked";
const SHARE = "port_share";

export interface ListenerDeps {
  readonly source: NotificationSource;
  readonly bus: Bus;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The leader's listener: passes on what the database's triggers say. Whenever it cannot be sure to have passed on
 * everything (its connection to the database is new, or the bus refused a message) it asks everybody to read again,
 * and goes on asking until the bus has taken that.
 */
export class ChangeListener {
  readonly #deps: ListenerDeps;
  readonly #wakes: readonly string[];
  readonly #proxies: string;
  #lossPending = false;
  #announcing = false;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
    this.#wakes = wakeChannels(deps.channels);
    this.#proxies = proxyChannel(deps.channels);
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const listener = {
      connected: () => this.#announceLoss(signal),
      notified: (channel: string, payload: string) => this.#pass(channel, payload, signal),
    };
    await this.#deps.source.listen([...Object.keys(KINDS), WAKE, CHECK, SHARE], listener, signal);
  }

  #pass(channel: string, payload: string, signal: AbortSignal): void {
    const change = parsePayload(payload);
    if (change === null) {
      this.#deps.logger.warn({ channel }, "a notification could not be read");
      return;
    }
    if (channel === WAKE) {
      for (const wake of this.#wakes) this.#publish(wake, change.id, signal);
      return;
    }
    if (channel === CHECK) {
      this.#publish(checkChannel(this.#deps.channels), change.id, signal);
      return;
    }
    if (channel === SHARE) {
      this.#publish(this.#proxies, change.id, signal);
      return;
    }
    if (!Object.hasOwn(KINDS, channel)) return;
    const kind = KINDS[channel as keyof typeof KINDS];
    const message: ChangeMessage = { kind, id: change.id, version: change.version };
    this.#publish(userChannel(this.#deps.channels, change.userId), JSON.stringify(message), signal);
    if (kind !== "progress") this.#publish(this.#proxies, change.id, signal);
  }

  #publish(channel: string, message: string, signal: AbortSignal): void {
    this.#deps.bus.publish(channel, message).catch(() => this.#announceLoss(signal));
  }

  #announceLoss(signal: AbortSignal): void {
    this.#lossPending = true;
    if (!this.#announcing) void this.#announceUntilTaken(signal);
  }

  async #announceUntilTaken(signal: AbortSignal): Promise<void> {
    const { bus, channels, clock, logger } = this.#deps;
    this.#announcing = true;
    while (this.#lossPending && !signal.aborted) {
      // Cleared first: a loss that happens while this one is being announced needs an announcement of its own.
      this.#lossPending = false;
      try {
        await bus.publish(resyncChannel(channels), "resync");
        for (const wake of this.#wakes) await bus.publish(wake, EVERYTHING);
      } catch (error) {
        this.#lossPending = true;
        logger.warn({ error: String(error) }, "the bus cannot be reached; clients are told as soon as it can");
        await clock.sleep(500, signal);
      }
    }
    this.#announcing = false;
  }
}

/** In place of a workspace's id: look at everything. */
export const EVERYTHING = "*";

function parsePayload(payload: string): { id: string; userId: string; version: number } | null {
  try {
    const value = JSON.parse(payload) as { id?: unknown; user_id?: unknown; version?: unknown };
    const { id, user_id: userId, version } = value;
    if (typeof id !== "string" || typeof userId !== "string" || typeof version !== "number") return null;
    return { id, userId, version };
  } catch {
    return null;
  }
}

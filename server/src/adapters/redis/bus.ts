import type { Redis } from "ioredis";
import type { Bus, BusHealth, Subscription } from "#ports/bus.ts";
import { connectRedis, type RedisSettings } from "./connection.ts";

type Handler = (message: string) => void;

/**
 * Redis publish/subscribe. A connection in subscriber mode can do nothing else, hence two of them. Resubscribing is
 * done here and not by the library, because the loss may be announced only once every channel is confirmed again.
 */
export class RedisBus implements Bus {
  readonly #publisher: Redis;
  readonly #subscriber: Redis;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #lossHandlers = new Set<() => void>();
  readonly #onError: (error: Error) => void;
  #closed = false;

  constructor(settings: RedisSettings) {
    this.#onError = settings.onError;
    this.#publisher = connectRedis(settings, "codehub-publish");
    this.#subscriber = connectRedis(settings, "codehub-subscribe");
    this.#subscriber.on("message", (channel: string, message: string) => this.#deliver(channel, message));
    this.#subscriber.on("ready", () => void this.#resubscribe());
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#publisher.publish(channel, message);
  }

  async subscribe(channel: string, handler: Handler): Promise<Subscription> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    const first = handlers.size === 0;
    this.#handlers.set(channel, handlers);
    const own = (message: string) => handler(message);
    handlers.add(own);
    if (first) await this.#whileConnected(() => this.#subscriber.subscribe(channel));
    return {
      end: () => {
        if (!handlers.delete(own) || handlers.size > 0 || this.#handlers.get(channel) !== handlers) return;
        this.#handlers.delete(channel);
        void this.#whileConnected(() => this.#subscriber.unsubscribe(channel));
      },
    };
  }

  onLoss(handler: () => void): Subscription {
    const own = () => handler();
    this.#lossHandlers.add(own);
    return { end: () => void this.#lossHandlers.delete(own) };
  }

  health(): BusHealth {
    const ok = this.#publisher.status === "ready" && this.#subscriber.status === "ready";
    return { ok, detail: ok ? "Redis answers" : `Redis is ${this.#publisher.status}` };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#handlers.clear();
    this.#lossHandlers.clear();
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
  }

  #deliver(channel: string, message: string): void {
    for (const handler of [...(this.#handlers.get(channel) ?? [])]) {
      try {
        handler(message);
      } catch (error) {
        this.#onError(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  /** A command that fails with the connection is made good by the resubscription that follows the next `ready`. */
  async #whileConnected(command: () => Promise<unknown>): Promise<void> {
    if (this.#subscriber.status !== "ready") return;
    try {
      await command();
    } catch (error) {
      if (!this.#closed) this.#onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #resubscribe(): Promise<void> {
    const channels = [...this.#handlers.keys()];
    try {
      for (let start = 0; start < channels.length; start += 500)
        await this.#subscriber.subscribe(...channels.slice(start, start + 500));
    } catch (error) {
      // The connection went again before every channel was confirmed; the next `ready` starts over.
      if (!this.#closed) this.#onError(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    // Also after the very first connection: a subscription made before it may have missed something.
    for (const handler of [...this.#lossHandlers]) handler();
  }
}

import type { Bus, BusHealth, Subscription } from "#ports/bus.ts";

/** The bus of a single process: nothing is in between, so nothing is ever lost. */
export class MemoryBus implements Bus {
  readonly #handlers = new Map<string, Set<(message: string) => void>>();

  async publish(channel: string, message: string): Promise<void> {
    // A copy, because a handler may end its own subscription while it runs.
    for (const handler of [...(this.#handlers.get(channel) ?? [])]) {
      try {
        handler(message);
      } catch (error) {
        // One subscriber's fault must reach neither the publisher nor the next subscriber, yet must be seen.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  async subscribe(channel: string, handler: (message: string) => void): Promise<Subscription> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers);
    // Wrapped, so that the same function subscribed twice is two subscriptions.
    const own = (message: string) => handler(message);
    handlers.add(own);
    return {
      end: () => {
        handlers.delete(own);
        if (handlers.size === 0 && this.#handlers.get(channel) === handlers) this.#handlers.delete(channel);
      },
    };
  }

  onLoss(): Subscription {
    return { end: () => undefined };
  }

  health(): BusHealth {
    return { ok: true, detail: "in process" };
  }

  async close(): Promise<void> {
    this.#handlers.clear();
  }
}

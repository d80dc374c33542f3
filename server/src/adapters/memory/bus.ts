import type { Bus, BusHealth, Subscription } from "#ports/bus.ts";

/** The bus of a single process: nothing is in between, so nothing is ever lost. */
export class MemoryBus implements Bus {
  /** Each subscription is an object of its own, so that the same function subscribed twice is two of them. */
  readonly #subscribers = new Map<string, Set<{ readonly handler: (message: string) => void }>>();

  async publish(channel: string, message: string): Promise<void> {
    // A copy, because a handler may end its own subscription while it runs.
    for (const { handler } of [...(this.#subscribers.get(channel) ?? [])]) {
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
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, subscribers);
    const own = { handler };
    subscribers.add(own);
    return {
      end: () => {
        subscribers.delete(own);
        if (subscribers.size === 0 && this.#subscribers.get(channel) === subscribers) this.#subscribers.delete(channel);
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
    this.#subscribers.clear();
  }
}

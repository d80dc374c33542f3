import type { Bus, BusHealth, Subscription } from "#ports/bus.ts";
import type { NotificationSource } from "#ports/notifications.ts";
import type { createPool } from "./connection.ts";

type Handler = (message: string) => void;

/** One channel of the database for all of ours: who listens for what is known to each process alone. */
const CHANNEL = "codehub_bus";

export interface PostgresBusParts {
  readonly pool: ReturnType<typeof createPool>;
  readonly source: NotificationSource;
}

/**
 * The bus of several processes that share nothing but the database: a message is a notification, and every process hears
 * all of them. A connection that listens begins with a loss, because what was said before it is not said again.
 */
export class PostgresBus implements Bus {
  readonly #pool: PostgresBusParts["pool"];
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #lossHandlers = new Set<() => void>();
  readonly #ending = new AbortController();
  readonly #listening: Promise<void>;
  #connected = false;

  constructor({ pool, source }: PostgresBusParts) {
    this.#pool = pool;
    const listener = {
      connected: () => this.#begin(),
      disconnected: () => {
        this.#connected = false;
      },
      notified: (_channel: string, payload: string) => this.#deliver(payload),
    };
    this.#listening = source.listen([CHANNEL], listener, this.#ending.signal);
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#pool.query("SELECT pg_notify($1, $2)", [CHANNEL, JSON.stringify([channel, message])]);
  }

  async subscribe(channel: string, handler: Handler): Promise<Subscription> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers);
    const own = (message: string) => handler(message);
    handlers.add(own);
    return {
      end: () => {
        handlers.delete(own);
        if (handlers.size === 0 && this.#handlers.get(channel) === handlers) this.#handlers.delete(channel);
      },
    };
  }

  onLoss(handler: () => void): Subscription {
    const own = () => handler();
    this.#lossHandlers.add(own);
    return { end: () => void this.#lossHandlers.delete(own) };
  }

  health(): BusHealth {
    const ok = this.#connected;
    return { ok, detail: ok ? "by notifications" : "The connection that listens for messages is away." };
  }

  async close(): Promise<void> {
    this.#handlers.clear();
    this.#lossHandlers.clear();
    this.#ending.abort();
    await this.#listening;
  }

  #begin(): void {
    this.#connected = true;
    for (const handler of [...this.#lossHandlers]) alone(handler);
  }

  #deliver(payload: string): void {
    const said = parse(payload);
    if (said === null) return;
    for (const handler of [...(this.#handlers.get(said.channel) ?? [])]) alone(() => handler(said.message));
  }
}

/** Whoever may connect to the database may notify; what is not ours is nobody's message. */
function parse(payload: string): { readonly channel: string; readonly message: string } | null {
  try {
    const [channel, message] = JSON.parse(payload) as unknown[];
    return typeof channel === "string" && typeof message === "string" ? { channel, message } : null;
  } catch {
    return null;
  }
}

/** One subscriber's fault must not reach the next one, nor the connection, yet must be seen. */
function alone(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

import type { Clock } from "#ports/clock.ts";

interface Entry<V> {
  readonly value: V;
  /** When it was asked for: what happened after that, it may not know. */
  readonly at: number;
}

export interface RecentTimes {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly freshMs: number;
  /** An answer that old still serves when the question fails; never when it is answered. */
  readonly staleMs: number;
  /** How many answers are kept. */
  readonly max?: number;
}

const MAX_ENTRIES = 50_000;

/**
 * Remembers answers for a short while and asks each question once at a time. "Not there" is not remembered, and neither
 * is what was forgotten while its answer was on its way: who signs out is out.
 */
export class Recent<K, V> {
  readonly #times: RecentTimes;
  readonly #ask: (key: K) => Promise<V | null>;
  /** The one asked for longest ago comes first. */
  readonly #entries = new Map<K, Entry<V>>();
  /** The question under way for a key. One that was forgotten is not in here, and nothing comes of its answer. */
  readonly #asking = new Map<K, Promise<V | null>>();

  constructor(times: RecentTimes, ask: (key: K) => Promise<V | null>) {
    this.#times = times;
    // Async in any case: a question that fails at once must not settle before it is known to be under way.
    this.#ask = async (key) => ask(key);
  }

  get(key: K): V | Promise<V | null> {
    const entry = this.#entries.get(key);
    const now = this.#times.clock.monotonicMs();
    if (entry !== undefined && now - entry.at < this.#times.freshMs) return entry.value;
    const asking = this.#asking.get(key);
    if (asking !== undefined) return asking;
    const asked: Promise<V | null> = this.#fetch(key, now, () => this.#settle(key, asked));
    this.#asking.set(key, asked);
    return asked;
  }

  forget(key: K): void {
    this.#entries.delete(key);
    this.#asking.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#asking.clear();
  }

  /** Ends a question; false when it was forgotten meanwhile. */
  #settle(key: K, asked: Promise<V | null>): boolean {
    return this.#asking.get(key) === asked && this.#asking.delete(key);
  }

  async #fetch(key: K, now: number, settle: () => boolean): Promise<V | null> {
    try {
      const value = await this.#ask(key);
      if (settle()) this.#remember(key, value, now);
      return value;
    } catch (error) {
      const stale = settle() ? this.#entries.get(key) : undefined;
      if (stale !== undefined && now - stale.at < this.#times.staleMs) return stale.value;
      throw error;
    }
  }

  #remember(key: K, value: V | null, at: number): void {
    // Taken out first, so that it comes last again.
    this.#entries.delete(key);
    if (value === null) return;
    this.#entries.set(key, { value, at });
    const [first] = this.#entries.size > (this.#times.max ?? MAX_ENTRIES) ? this.#entries.keys() : [];
    if (first !== undefined) this.#entries.delete(first);
  }
}

import type { Clock } from "#ports/clock.ts";

interface Entry<V> {
  readonly value: V;
  readonly at: number;
}

export interface RecentTimes {
  readonly clock: Clock;
  readonly freshMs: number;
  /** An answer that old still serves when the question fails; never when it is answered. */
  readonly staleMs: number;
}

const MAX_ENTRIES = 50_000;

/** Remembers answers for a short while and asks each question once at a time. "Not there" is not remembered. */
export class Recent<K, V> {
  readonly #times: RecentTimes;
  readonly #ask: (key: K) => Promise<V | null>;
  readonly #entries = new Map<K, Entry<V>>();
  readonly #asking = new Map<K, Promise<V | null>>();
  /** Rises with every forget, so that an answer that was on its way meanwhile is not remembered. */
  #generation = 0;

  constructor(times: RecentTimes, ask: (key: K) => Promise<V | null>) {
    this.#times = times;
    this.#ask = ask;
  }

  get(key: K): V | Promise<V | null> {
    const entry = this.#entries.get(key);
    const now = this.#times.clock.monotonicMs();
    if (entry !== undefined && now - entry.at < this.#times.freshMs) return entry.value;
    const asking = this.#asking.get(key);
    if (asking !== undefined) return asking;
    const asked = this.#fetch(key, entry, now).finally(() => {
      if (this.#asking.get(key) === asked) this.#asking.delete(key);
    });
    this.#asking.set(key, asked);
    return asked;
  }

  forget(key: K): void {
    this.#generation += 1;
    this.#entries.delete(key);
    this.#asking.delete(key);
  }

  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
    this.#asking.clear();
  }

  async #fetch(key: K, stale: Entry<V> | undefined, now: number): Promise<V | null> {
    const generation = this.#generation;
    try {
      const value = await this.#ask(key);
      if (value === null) this.#entries.delete(key);
      else if (generation === this.#generation) this.#remember(key, { value, at: now });
      return value;
    } catch (error) {
      if (stale !== undefined && now - stale.at < this.#times.staleMs) return stale.value;
      throw error;
    }
  }

  #remember(key: K, entry: Entry<V>): void {
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    this.#entries.set(key, entry);
  }
}

import type { Ms } from "#core/rows/workspace.ts";
import type { Clock } from "#ports/clock.ts";

/**
 * The database's time, carried on by our monotonic clock from the last transaction that told it. Every time in a row is
 * the database's, so what is decided about a row before a transaction is worth it must not follow our own wall clock:
 * one that is a day behind would wait a day for everything.
 */
export class DatabaseClock {
  readonly #clock: Clock;
  #aheadMs: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called with the time a transaction has read. */
  saw(now: Ms): void {
    this.#aheadMs = now - this.#clock.monotonicMs();
  }

  get isKnown(): boolean {
    return this.#aheadMs !== null;
  }

  /** Our own wall clock until the first transaction has told better. */
  now(): Ms {
    return this.#aheadMs === null ? this.#clock.nowMs() : this.#clock.monotonicMs() + this.#aheadMs;
  }
}

import type { Clock } from "#ports/clock.ts";

/** The local lease has run out: the side effect that was about to happen does not. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/**
 * The right to cause side effects, in monotonic time. A frozen or cut-off leader loses it by itself, before another
 * one acts: renewals count from when the ping was sent, and a new leader first waits for one whole lease.
 */
export class Lease {
  readonly #clock: Clock;
  readonly #durationMs: number;
  #until: number;

  constructor(clock: Clock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
    this.#until = clock.monotonicMs() + durationMs;
  }

  renewFrom(sentAtMs: number): void {
    this.#until = Math.max(this.#until, sentAtMs + this.#durationMs);
  }

  get remainingMs(): number {
    return this.#until - this.#clock.monotonicMs();
  }

  check(): void {
    if (this.remainingMs <= 0) throw new LeaseLost("The leader's lease has run out; nothing was done.");
  }
}

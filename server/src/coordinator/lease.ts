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
  #underWay = 0;
  #givenBack = false;

  constructor(clock: Clock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
    this.#until = clock.monotonicMs() + durationMs;
  }

  renewFrom(sentAtMs: number): void {
    if (this.#givenBack) return;
    this.#until = Math.max(this.#until, sentAtMs + this.#durationMs);
  }

  get remainingMs(): number {
    return this.#until - this.#clock.monotonicMs();
  }

  check(): void {
    if (this.remainingMs <= 0) throw new LeaseLost("The leader's lease has run out; nothing was done.");
  }

  /** For one side effect: checked before it begins, and counted until what is returned is called. */
  enter(): () => void {
    this.check();
    this.#underWay += 1;
    return () => {
      this.#underWay -= 1;
    };
  }

  /** From here on nothing begins any more. True when nothing that began before is still under way. */
  giveBack(): boolean {
    this.#givenBack = true;
    this.#until = Number.NEGATIVE_INFINITY;
    return this.#underWay === 0;
  }
}

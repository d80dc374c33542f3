import type { Clock, Ids } from "#ports/clock.ts";
import { Prng } from "./prng.ts";
import type { Pending, Scheduler } from "./scheduler.ts";

/** Wall time at the beginning of every simulation. */
export const EPOCH_MS = Date.UTC(2026, 0, 5);

/** A call of a simulated process that has not been answered. */
export interface InFlight {
  /** Null once what the call does has been done. */
  effect: Pending | null;
}

/**
 * One operating system process. It can be killed (what it waits for never comes, what it sent may still arrive) and
 * frozen (answers pile up until it runs again), and its wall clock may be wrong.
 */
export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inFlight: Set<InFlight> = new Set();
  readonly #scheduler: Scheduler;
  #held: (() => void)[] = [];
  alive = true;
  frozen = false;
  wallSkewMs = 0;
  /** Calls made so far: the crash sweep counts them. */
  calls = 0;

  constructor(name: string, scheduler: Scheduler, seed: number, stream: number) {
    this.name = name;
    this.#scheduler = scheduler;
    const random = new Prng(seed, stream);
    this.ids = { uuid: () => random.uuid(), random: () => random.float() };
    this.clock = {
      nowMs: () => EPOCH_MS + scheduler.now + this.wallSkewMs,
      monotonicMs: () => scheduler.now,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      giveWay: async () => {},
    };
  }

  /** Lets the process go on with an answer: now, when it thaws, or never. */
  deliver(answer: () => void): void {
    if (!this.alive) return;
    if (this.frozen) {
      this.#held.push(answer);
      return;
    }
    this.#scheduler.woken = true;
    answer();
  }

  /** Kill -9. What is on its way may still arrive, or not, as `lands` says. */
  kill(lands: () => boolean): void {
    this.alive = false;
    this.#held = [];
    for (const call of this.inFlight) {
      if (call.effect !== null && !lands()) call.effect.cancelled = true;
    }
    this.inFlight.clear();
  }

  freeze(): void {
    this.frozen = true;
  }

  /** Everything that came meanwhile is handed over one by one, in an order drawn from the seed. */
  thaw(random: Prng): void {
    this.frozen = false;
    const held = this.#held;
    this.#held = [];
    for (const answer of held) this.#scheduler.after(random.between(0, 3), () => this.deliver(answer));
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const pending = this.#scheduler.after(ms, () => {
        this.deliver(() => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        });
      });
      const onAbort = (): void => {
        pending.cancelled = true;
        resolve();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}

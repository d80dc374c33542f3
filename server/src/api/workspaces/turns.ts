import { ApiError } from "#api/http/api-error.ts";
import { LOOKS_WITHIN_MS, MOST_LOOKS, mayLook } from "#core/space/may-look.ts";
import type { Clock } from "#ports/clock.ts";

interface Turn {
  readonly askedAt: number;
  isOpen: boolean;
}

/**
 * One look into a home after the other, and not too many of them. Known to this process alone: another server of the same
 * deployment may look at the same time, which costs time and nothing else.
 */
export class Turns {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #taken = new Map<string, Turn[]>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  async take<T>(id: string, look: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonicMs();
    this.#forget(now);
    const own = this.#taken.get(id) ?? [];
    const others = [...this.#taken].filter(([other, turns]) => other !== id && turns.some(({ isOpen }) => isOpen));
    const may = mayLook(own, others.length, now);
    if (!may.ok && may.limit === "under_way") throw new ApiError("HOME_BUSY");
    if (!may.ok)
      throw new ApiError("TOO_MANY_LOOKS", { limit: MOST_LOOKS }, { "retry-after": String(may.retryAfterSeconds) });
    const turn: Turn = { askedAt: now, isOpen: true };
    this.#taken.set(id, [...own, turn]);
    try {
      return await look();
    } finally {
      turn.isOpen = false;
    }
  }

  #forget(now: number): void {
    for (const [id, turns] of this.#taken) {
      const kept = turns.filter(({ isOpen, askedAt }) => isOpen || now - askedAt < LOOKS_WITHIN_MS);
      if (kept.length === 0) this.#taken.delete(id);
      else this.#taken.set(id, kept);
    }
  }
}

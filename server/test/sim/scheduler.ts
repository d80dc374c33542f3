import type { Prng } from "./prng.ts";

/** Something that will happen, unless it is cancelled before. */
export interface Pending {
  readonly due: number;
  cancelled: boolean;
}

interface Entry extends Pending {
  readonly tie: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Owns time and every await. Nothing in a simulated process goes on by itself: a promise it waits for is settled by an
 * entry here, one entry at a time, and between two entries every microtask has run. Entries due at the same moment
 * happen in an order drawn from the seed.
 */
export class Scheduler {
  readonly #heap: Entry[] = [];
  readonly #random: Prng;
  #order = 0;
  /** True time in milliseconds since the simulation began. */
  now = 0;
  steps = 0;
  /** Set by whoever settled a promise of a simulated process: its code has to run before the next entry. */
  woken = false;

  constructor(random: Prng) {
    this.#random = random;
  }

  after(delayMs: number, run: () => void): Pending {
    const entry: Entry = {
      due: this.now + Math.max(0, Math.round(delayMs)),
      tie: this.#random.float(),
      order: this.#order++,
      cancelled: false,
      run,
    };
    this.#push(entry);
    return entry;
  }

  /** Makes the next thing happen. False when nothing is left, or nothing before `until`. */
  async step(until = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.due > until) return false;
      this.#pop();
      if (next.cancelled) continue;
      this.now = next.due;
      this.steps++;
      next.run();
      if (this.woken) await this.drain();
      return true;
    }
  }

  /** A turn of the event loop begins only when no microtask is left, so all that could run has run. */
  async drain(): Promise<void> {
    this.woken = false;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!before(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && before(right, heap[child] as Entry)) child++;
      const below = heap[child] as Entry;
      if (!before(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}

function before(a: Entry, b: Entry): boolean {
  if (a.due !== b.due) return a.due < b.due;
  return a.tie !== b.tie ? a.tie < b.tie : a.order < b.order;
}

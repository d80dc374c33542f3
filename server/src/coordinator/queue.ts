interface Due {
  readonly id: string;
  readonly at: number;
  /** Something happened to it just now, or it is its turn; all others were only found. */
  readonly first: boolean;
  /** Of two that are due at the same time the one that came first goes first. */
  readonly order: number;
}

/** Of four that are taken one is the longest waiting, whatever happened to the others: news never keep the rest waiting. */
const FAIR_SHARE = 4;

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Of this many in a heap, whatever is behind them, at least a quarter is valid. */
const MOST_STALE = 64;

/** The earliest on top. What is not valid any more is thrown away when it comes up, or when there is too much of it. */
class Heap {
  readonly #valid: ReadonlyMap<string, Due>;
  #items: Due[] = [];

  constructor(valid: ReadonlyMap<string, Due>) {
    this.#valid = valid;
  }

  push(due: Due): void {
    if (this.#items.length > Math.max(MOST_STALE, 4 * this.#valid.size)) this.#clear();
    const items = this.#items;
    let at = items.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !isBefore(due, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = due;
  }

  peek(): Due | undefined {
    while (this.#items[0] !== undefined && !this.#isValid(this.#items[0])) this.#drop();
    return this.#items[0];
  }

  #isValid(due: Due): boolean {
    return this.#valid.get(due.id) === due;
  }

  #clear(): void {
    // In order they are a heap already.
    const left = new Set(this.#items.filter((due) => this.#isValid(due)));
    this.#items = [...left].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  pop(): Due | undefined {
    const top = this.peek();
    if (top !== undefined) this.#drop();
    return top;
  }

  #drop(): void {
    const items = this.#items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    let at = 0;
    for (;;) {
      const [left, right] = [items[2 * at + 1], items[2 * at + 2]];
      if (left === undefined) break;
      const goesRight = right !== undefined && isBefore(right, left);
      const child = goesRight ? right : left;
      if (!isBefore(child, last)) break;
      items[at] = child;
      at = 2 * at + (goesRight ? 2 : 1);
    }
    items[at] = last;
  }
}

/**
 * Which workspaces to look at, and when. An id is here at most once; the earlier time wins. Times are monotonic. After an
 * outage there are as many in it as there are workspaces, and each time that one was looked at the next is taken: that must
 * not cost a walk through all of them.
 */
export class DueQueue {
  readonly #due = new Map<string, Due>();
  readonly #all = new Heap(this.#due);
  readonly #first = new Heap(this.#due);
  #orders = 0;
  /** How many were taken for their news since the longest waiting was. */
  #news = 0;

  /** Makes it due at this time, or leaves it where it is if that is earlier. */
  add(id: string, at: number, rank: "first" | "found" = "found"): void {
    const present = this.#due.get(id);
    const first = rank === "first" || present?.first === true;
    if (present !== undefined && present.at <= at && present.first === first) return;
    this.#put({ id, at: Math.min(at, present?.at ?? at), first, order: present?.order ?? this.#orders++ });
  }

  has(id: string): boolean {
    return this.#due.has(id);
  }

  /** Takes out what is due, what is first and then the longest waiting, except what `busy` says is being looked at already. */
  take(now: number, limit: number, busy: (id: string) => boolean): string[] {
    const taken: string[] = [];
    const passedOver: Due[] = [];
    while (taken.length < limit) {
      const isFair = this.#news < FAIR_SHARE - 1;
      const due = this.#ready(isFair ? this.#first : this.#all, now) ?? this.#ready(this.#all, now);
      if (due === undefined) break;
      this.#due.delete(due.id);
      if (busy(due.id)) {
        passedOver.push(due);
        continue;
      }
      this.#news = isFair && due.first ? this.#news + 1 : 0;
      taken.push(due.id);
    }
    // As new ones: what is left of them in the other heap counts no more.
    for (const due of passedOver) this.#put({ ...due });
    return taken;
  }

  #ready(heap: Heap, now: number): Due | undefined {
    const top = heap.peek();
    return top !== undefined && top.at <= now ? heap.pop() : undefined;
  }

  #put(due: Due): void {
    this.#due.set(due.id, due);
    this.#all.push(due);
    if (due.first) this.#first.push(due);
  }

  /** When the next one is due, or Infinity. */
  nextAt(busy: (id: string) => boolean): number {
    const passedOver: Due[] = [];
    let next = this.#all.pop();
    for (; next !== undefined && busy(next.id); next = this.#all.pop()) passedOver.push(next);
    if (next !== undefined) passedOver.push(next);
    for (const due of passedOver) this.#all.push(due);
    return next?.at ?? Number.POSITIVE_INFINITY;
  }

  get size(): number {
    return this.#due.size;
  }
}

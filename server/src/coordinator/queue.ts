interface Due {
  readonly at: number;
  /** Something happened to it just now, or it is its turn; all others were only found. */
  readonly first: boolean;
}

/** Of four that are taken one is the longest waiting, whatever happened to the others: news never keep the rest waiting. */
const FAIR_SHARE = 4;

/** Takes what is at the head of a list and was not taken by another way. */
function nextOf(ids: string[], taken: ReadonlySet<string>): string | undefined {
  let id = ids.shift();
  while (id !== undefined && taken.has(id)) id = ids.shift();
  return id;
}

/** Which workspaces to look at, and when. An id is here at most once; the earlier time wins. Times are monotonic. */
export class DueQueue {
  readonly #due = new Map<string, Due>();
  /** How many were taken for their news since the longest waiting was. */
  #news = 0;

  /** Makes it due at this time, or leaves it where it is if that is earlier. */
  add(id: string, at: number, rank: "first" | "found" = "found"): void {
    const present = this.#due.get(id);
    const first = rank === "first" || present?.first === true;
    this.#due.set(id, { at: Math.min(at, present?.at ?? at), first });
  }

  has(id: string): boolean {
    return this.#due.has(id);
  }

  /** Takes out what is due, what is first and then the longest waiting, except what `busy` says is being looked at already. */
  take(now: number, limit: number, busy: (id: string) => boolean): string[] {
    const ready = [...this.#due].filter(([id, { at }]) => at <= now && !busy(id));
    ready.sort(([, a], [, b]) => a.at - b.at);
    const news = ready.filter(([, due]) => due.first).map(([id]) => id);
    const oldest = ready.map(([id]) => id);
    const taken = new Set<string>();
    while (taken.size < Math.min(limit, ready.length)) {
      const isFair = this.#news < FAIR_SHARE - 1;
      const id = nextOf(isFair ? news : oldest, taken) ?? nextOf(oldest, taken);
      if (id === undefined) break;
      this.#news = isFair && this.#due.get(id)?.first === true ? this.#news + 1 : 0;
      taken.add(id);
    }
    for (const id of taken) this.#due.delete(id);
    return [...taken];
  }

  /** When the next one is due, or Infinity. */
  nextAt(busy: (id: string) => boolean): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [id, { at }] of this.#due) if (at < next && !busy(id)) next = at;
    return next;
  }

  get size(): number {
    return this.#due.size;
  }
}

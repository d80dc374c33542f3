/** Which workspaces to look at, and when. An id is here at most once; the earlier time wins. Times are monotonic. */
export class DueQueue {
  readonly #due = new Map<string, number>();

  /** Makes it due at this time, or leaves it where it is if that is earlier. */
  add(id: string, at: number): void {
    const present = this.#due.get(id);
    if (present === undefined || at < present) this.#due.set(id, at);
  }

  has(id: string): boolean {
    return this.#due.has(id);
  }

  /** Takes out what is due, the longest waiting first, except what `busy` says is being looked at already. */
  take(now: number, limit: number, busy: (id: string) => boolean): string[] {
    const ready = [...this.#due].filter(([id, at]) => at <= now && !busy(id));
    ready.sort(([, a], [, b]) => a - b);
    const taken = ready.slice(0, limit).map(([id]) => id);
    for (const id of taken) this.#due.delete(id);
    return taken;
  }

  /** When the next one is due, or Infinity. */
  nextAt(busy: (id: string) => boolean): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [id, at] of this.#due) if (at < next && !busy(id)) next = at;
    return next;
  }

  get size(): number {
    return this.#due.size;
  }
}

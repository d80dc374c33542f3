/** A window listens to one or two such events, a window with every extension there is to a handful. */
export const MAX_TERMINAL_EVENTS = 256;

/**
 * The events by which terminals tell a window what they print, by the numbers that the client chose for them. A client
 * that listens to more than any real one is not kept account of: from then on every event may be a terminal's.
 */
export class TerminalEvents {
  readonly #ids = new Set<number>();
  #tooMany = false;

  get size(): number {
    return this.#ids.size;
  }

  get none(): boolean {
    return this.#ids.size === 0 && !this.#tooMany;
  }

  listen(id: number): void {
    if (this.#ids.size < MAX_TERMINAL_EVENTS) this.#ids.add(id);
    else if (!this.#ids.has(id)) this.#tooMany = true;
  }

  dispose(id: number): void {
    this.#ids.delete(id);
  }

  has(id: number): boolean {
    return this.#tooMany || this.#ids.has(id);
  }
}

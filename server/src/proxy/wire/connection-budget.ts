/**
 * How many connections to workspaces there may be altogether, WebSockets and those that rest in pools included: each
 * takes one of the process's descriptors, and what the database, the engine and the store need is not theirs.
 */
export class ConnectionBudget {
  readonly #max: number;
  /** Closes a connection that nobody uses at the moment; false when there is none. */
  readonly #closeOneResting: () => boolean;
  #open = 0;

  constructor(max: number, closeOneResting: () => boolean) {
    this.#max = max;
    this.#closeOneResting = closeOneResting;
  }

  /** Null: all are in use. Whoever opened one gives it back once, after it was closed. */
  open<T>(connect: () => T): T | null {
    if (this.#open >= this.#max && !this.#closeOneResting()) return null;
    const connection = connect();
    this.#open += 1;
    return connection;
  }

  give(): void {
    this.#open -= 1;
  }
}

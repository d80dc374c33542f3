/**
 * A question that many ask at once, and that costs who answers it. Whoever asks while it is under way shares the next one
 * with all others who wait: every answer is to a question that was put after one asked, as if each had put his own.
 */
export class SharedQuestion<T> {
  readonly #put: () => Promise<T>;
  #underWay: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(put: () => Promise<T>) {
    this.#put = put;
  }

  ask(): Promise<T> {
    if (this.#underWay === null) return this.#begin();
    const goOn = (): Promise<T> => {
      this.#next = null;
      return this.#begin();
    };
    this.#next ??= this.#underWay.then(goOn, goOn);
    return this.#next;
  }

  #begin(): Promise<T> {
    const asked = this.#put();
    const over = (): void => {
      if (this.#underWay === asked) this.#underWay = null;
    };
    this.#underWay = asked;
    asked.then(over, over);
    return asked;
  }
}

/** A small, fast generator (sfc32): one seed is one run, on every machine. */
export class Prng {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number, stream = 0) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = stream >>> 0;
    this.#d = 1;
    // The first outputs of neighbouring seeds resemble each other; they are thrown away.
    for (let round = 0; round < 16; round++) this.#next();
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** In [0, 1). */
  float(): number {
    return this.#next() / 2 ** 32;
  }

  /** In [0, below), whole. */
  below(below: number): number {
    return Math.floor(this.float() * below);
  }

  /** In [from, to], whole. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** One of the keys, by weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let rest = this.float() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      rest -= weight;
      if (rest < 0) return key;
    }
    return (entries.at(-1) as [K, number])[0];
  }

  /** Waiting times of things that happen by themselves. */
  exponential(mean: number): number {
    return -Math.log(1 - this.float()) * mean;
  }

  /** Shaped like a version 4 UUID. */
  uuid(): string {
    const hex = [this.#next(), this.#next(), this.#next(), this.#next()]
      .map((word) => word.toString(16).padStart(8, "0"))
      .join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

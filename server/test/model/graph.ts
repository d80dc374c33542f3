/** A list of integers that grows without boxing them. */
export class Ints {
  #items = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = new Int32Array(this.#items.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#items[index] ?? -1;
  }
}

/** The reachable states with their helpful moves, to be walked backwards from where the system has settled. */
export class Graph {
  readonly #settled: number[] = [];
  readonly #sources = new Ints();
  readonly #targets = new Ints();
  #states = 0;

  addState(settled: boolean): void {
    if (settled) this.#settled.push(this.#states);
    this.#states += 1;
  }

  addEdge(from: number, to: number): void {
    this.#sources.push(from);
    this.#targets.push(to);
  }

  /** States from which no settled state can be reached, in the order in which they were met. */
  unsettling(): number[] {
    const offsets = new Int32Array(this.#states + 1);
    for (let e = 0; e < this.#targets.length; e++) {
      const target = this.#targets.at(e);
      offsets[target + 1] = (offsets[target + 1] ?? 0) + 1;
    }
    for (let i = 0; i < this.#states; i++) offsets[i + 1] = (offsets[i + 1] ?? 0) + (offsets[i] ?? 0);
    const fill = offsets.slice();
    const incoming = new Int32Array(this.#targets.length);
    for (let e = 0; e < this.#targets.length; e++) {
      const target = this.#targets.at(e);
      const slot = fill[target] ?? 0;
      incoming[slot] = this.#sources.at(e);
      fill[target] = slot + 1;
    }
    const good = new Uint8Array(this.#states);
    const open = [...this.#settled];
    for (const i of open) good[i] = 1;
    for (let i = open.pop(); i !== undefined; i = open.pop()) {
      for (let e = offsets[i] ?? 0; e < (offsets[i + 1] ?? 0); e++) {
        const source = incoming[e] ?? 0;
        if (good[source] === 1) continue;
        good[source] = 1;
        open.push(source);
      }
    }
    return [...good.keys()].filter((i) => good[i] === 0);
  }
}

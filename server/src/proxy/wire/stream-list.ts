/** A place in a list that knows its neighbours, so that it can leave without being looked for. */
export abstract class Listed {
  before: Listed | null = null;
  after: Listed | null = null;
}

/**
 * Everything that is under way. Every request enters and leaves once, so that costs two assignments; a Set would hash
 * each of them, which is noticeable at tens of thousands a second.
 */
export class StreamList<T extends Listed> {
  #first: Listed | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    item.after = this.#first;
    item.before = null;
    if (this.#first !== null) this.#first.before = item;
    this.#first = item;
    this.#size += 1;
  }

  /** Of an item that is in the list; one that has left already is let be. */
  remove(item: T): void {
    if (item.before === null && this.#first !== item) return;
    if (item.before === null) this.#first = item.after;
    else item.before.after = item.after;
    if (item.after !== null) item.after.before = item.before;
    item.before = null;
    item.after = null;
    this.#size -= 1;
  }

  all(): T[] {
    const items: T[] = [];
    for (let item = this.#first; item !== null; item = item.after) items.push(item as T);
    return items;
  }
}

import { refused } from "./tar-header.ts";

/** Two numbers for each piece; more pieces than this are refused, so that the map stays in memory. */
const MAX_PIECES = 2_000_000;

/**
 * The map of a sparse file, as GNU tar writes it in front of the data (format 1.0): decimal numbers, one a line: how
 * many pieces, then offset and length of each, filled up to a whole block.
 */
export class SparseMap {
  readonly #size: number;
  readonly #stored: number;
  readonly #numbers: number[] = [];
  #digits = "";
  #read = 0;
  #complete = false;
  /** The piece that the next byte of data belongs to, and how much of it was seen. */
  #piece = 0;
  #seen = 0;

  constructor(size: number, stored: number) {
    this.#size = size;
    this.#stored = stored;
  }

  /** Takes bytes of the map; when it is complete, returns what follows it in these bytes. */
  parse(bytes: Buffer): Buffer | null {
    let at = 0;
    while (at < bytes.length && !this.#complete) this.#character(bytes[at++] as number);
    if (!this.#complete) return null;
    // The map is padded to a whole block; the padding may continue in the next chunk.
    const padding = (512 - (this.#read % 512)) % 512;
    const skipped = Math.min(padding, bytes.length - at);
    this.#read += skipped;
    at += skipped;
    return this.#read % 512 === 0 ? bytes.subarray(at) : null;
  }

  /** Where in the file these bytes belong. */
  *place(bytes: Buffer): Generator<{ offset: number; piece: Buffer }> {
    let at = 0;
    while (at < bytes.length) {
      const offset = this.#numbers[1 + 2 * this.#piece];
      const length = this.#numbers[2 + 2 * this.#piece];
      if (offset === undefined || length === undefined) throw refused("a sparse file has more data than its map");
      const until = Math.min(bytes.length, at + length - this.#seen);
      if (until > at) yield { offset: offset + this.#seen, piece: bytes.subarray(at, until) };
      this.#seen += until - at;
      at = until;
      if (this.#seen === length) {
        this.#piece++;
        this.#seen = 0;
      }
    }
  }

  end(): void {
    const total = this.#numbers.slice(1).reduce((sum, number, index) => sum + (index % 2 === 1 ? number : 0), 0);
    if (!this.#complete || this.#read + total !== this.#stored) throw refused("a sparse file does not fit its map");
  }

  #character(byte: number): void {
    this.#read++;
    if (byte >= 0x30 && byte <= 0x39 && this.#digits.length < 16) {
      this.#digits += String.fromCharCode(byte);
    } else if (byte === 0x0a && this.#digits.length > 0) {
      this.#number(Number(this.#digits));
      this.#digits = "";
    } else {
      throw refused("the map of a sparse file is malformed");
    }
  }

  #number(value: number): void {
    const numbers = this.#numbers;
    numbers.push(value);
    const pieces = numbers[0] as number;
    if (pieces > MAX_PIECES) throw refused("a sparse file has too many pieces");
    if (numbers.length > 1 && numbers.length % 2 === 1) {
      const offset = numbers[numbers.length - 2] as number;
      const before =
        numbers.length > 3 ? (numbers[numbers.length - 4] as number) + (numbers[numbers.length - 3] as number) : 0;
      if (offset < before || offset + value > this.#size) throw refused("the map of a sparse file leads outside of it");
    }
    this.#complete = numbers.length === 1 + 2 * pieces;
  }
}

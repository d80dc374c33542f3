const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 48 * 1024;

/**
 * The beginning and the end of what was said, and how much is missing between them. Cut by bytes and read as text after
 * that: half a character would be no text, and nobody could keep it.
 */
export class Transcript {
  readonly #secrets: readonly string[];
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #left = 0;

  constructor(secrets: readonly string[], headBytes: number = HEAD_BYTES, tailBytes: number = TAIL_BYTES) {
    // As they are once they were made plain, and the longest first: of one that begins another the rest would stay.
    this.#secrets = secrets.map(plain).toSorted((one, other) => other.length - one.length);
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  /** As it may be told. */
  told(line: string): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, "***"), plain(line));
  }

  add(line: string): void {
    const bytes = Buffer.from(`${this.told(line)}\n`);
    const room = this.#headBytes - this.#head.length;
    if (this.#tail.length === 0 && room >= bytes.length) {
      this.#head = Buffer.concat([this.#head, bytes]);
      return;
    }
    const all = Buffer.concat([this.#tail, bytes]);
    this.#tail = all.subarray(Math.max(0, all.length - this.#tailBytes));
    this.#left += all.length - this.#tail.length;
  }

  text(): string {
    const gap = this.#left === 0 ? "" : `[… ${this.#left} bytes left out …]\n`;
    return `${this.#head.toString("utf8")}${gap}${this.#tail.toString("utf8")}`;
  }
}

/** Without what leads a terminal, or is no text to a database. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const plain = (text: string): string => text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

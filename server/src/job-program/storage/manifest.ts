import { createHash, type Hash } from "node:crypto";

/** What the manifest says of one entry, besides its content. */
export interface Entry {
  /** Relative to the home, without a leading `./`; empty for the home itself. */
  readonly path: Buffer;
  readonly type: "file" | "directory" | "symlink" | "hardlink" | "fifo" | "whiteout";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds, with decimals where they are not zero. */
  readonly mtime: string;
  /** Logical size of a file, holes included; zero for everything else. */
  readonly size: number;
  readonly link: Buffer;
  readonly attributes: readonly { readonly key: string; readonly value: Buffer }[];
}

const PAGE = 4096;
const ZEROS = Buffer.alloc(PAGE);

/**
 * The digest of a tree: one running sha256 over every entry and its content, in the order of names.
 *
 * It must come out the same for a volume, for the archive made from it, and for the volume restored from that, also on
 * another file system. So it covers what a user can tell apart (path, type, mode, owner, times, size, link, attributes,
 * content) and nothing that depends on where the tree lies: the content of a file is hashed without those of its
 * 4096-byte pages that are all zeros, because which of them are holes is the file system's choice.
 *
 * Every part ends with its own length and kind. Read from its end, the hashed text can be taken apart in one way only,
 * so that no two trees have the same text.
 */
export class Manifest {
  readonly #hash: Hash = createHash("sha256");
  #entryCount = 0;
  /** Where the next byte of content lies in its file. */
  #at = 0;
  #size = 0;
  /** Zero bytes at the beginning of the current page, not hashed yet because the whole page may be zeros. */
  #heldZeros = 0;
  #runStart = 0;
  #runLength = 0;

  entry(entry: Entry): void {
    this.#entryCount++;
    this.#at = 0;
    this.#size = entry.size;
    this.#heldZeros = 0;
    this.#runLength = 0;
    const fields = [entry.type, entry.mode.toString(8), entry.uid, entry.gid, entry.mtime, entry.size].join(" ");
    this.#part("field", Buffer.from(fields));
    this.#part("path", entry.path);
    if (entry.link.length > 0) this.#part("link", entry.link);
    // The order in which a file system lists attributes means nothing.
    const attributes = [...entry.attributes].sort((a, b) => (a.key < b.key ? -1 : 1));
    for (const { key, value } of attributes) {
      this.#part("key", Buffer.from(key, "latin1"));
      this.#part("value", value);
    }
  }

  /** Content of the current file from where the last call left off. */
  data(bytes: Buffer): void {
    let from = 0;
    let hashed = 0;
    while (from < bytes.length) {
      const pageLeft = Math.min(PAGE - (this.#at % PAGE), this.#size - this.#at);
      const until = Math.min(bytes.length, from + pageLeft);
      const piece = until - from;
      if (this.#heldZeros === this.#at % PAGE && isZero(bytes, from, until)) {
        this.#hashRun(bytes, hashed, from);
        hashed = until;
        this.#holdZeros(piece);
      } else {
        this.#releaseZeros();
        if (this.#runLength === 0) this.#runStart = this.#at;
        this.#runLength += piece;
        this.#at += piece;
      }
      from = until;
    }
    this.#hashRun(bytes, hashed, bytes.length);
  }

  /** A hole up to `offset`: the same as that many zeros. */
  skipTo(offset: number): void {
    const left = PAGE - (this.#at % PAGE);
    if (this.#at % PAGE !== 0 && this.#heldZeros === 0) this.data(ZEROS.subarray(0, Math.min(left, offset - this.#at)));
    if (this.#at >= offset) return;
    if (Math.floor(offset / PAGE) > Math.floor(this.#at / PAGE)) this.#endRun();
    this.#at = offset;
    this.#heldZeros = offset % PAGE;
  }

  /** After the last byte of a file. */
  endOfFile(): void {
    this.#endRun();
    this.#heldZeros = 0;
  }

  digest(): { manifestDigest: string; entryCount: number } {
    this.#part("entries", Buffer.from(String(this.#entryCount)));
    return { manifestDigest: this.#hash.digest("hex"), entryCount: this.#entryCount };
  }

  get entryCount(): number {
    return this.#entryCount;
  }

  #holdZeros(count: number): void {
    this.#at += count;
    this.#heldZeros = this.#at % PAGE;
    // A run of content ends where a page of zeros is complete, and not before: how the bytes came must not matter.
    if (this.#heldZeros === 0) this.#endRun();
  }

  /** The page is not all zeros after all: what was held back is content. */
  #releaseZeros(): void {
    if (this.#heldZeros === 0) return;
    if (this.#runLength === 0) this.#runStart = this.#at - this.#heldZeros;
    this.#runLength += this.#heldZeros;
    this.#hash.update(ZEROS.subarray(0, this.#heldZeros));
    this.#heldZeros = 0;
  }

  #hashRun(bytes: Buffer, from: number, until: number): void {
    if (until > from) this.#hash.update(bytes.subarray(from, until));
  }

  #endRun(): void {
    if (this.#runLength === 0) return;
    this.#hash.update(`@${this.#runStart}+${this.#runLength};`);
    this.#runLength = 0;
  }

  #part(kind: string, bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#hash.update(`:${kind}+${bytes.length};`);
  }
}

function isZero(bytes: Buffer, from: number, until: number): boolean {
  // The two ends decide almost every page of real data without looking at the rest.
  if (bytes[from] !== 0 || bytes[until - 1] !== 0) return false;
  return bytes.compare(ZEROS, 0, until - from, from, until) === 0;
}

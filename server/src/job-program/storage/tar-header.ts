import { JobFailure } from "../protocol.ts";

export const BLOCK = 512;

/** One 512-byte header, decoded. Names are raw bytes: a file name is not always text. */
export interface Header {
  readonly name: Buffer;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtime: number;
  readonly type: string;
  readonly link: Buffer;
  readonly device: number;
}

/** The archive is not one that this program writes: damaged, or made by somebody else to do harm. */
export function refused(what: string): JobFailure {
  return new JobFailure("ArchiveCorrupted", `the archive was refused: ${what}`);
}

/** A header block, or null for the block of zeros that ends an archive. */
export function parseHeader(block: Buffer): Header | null {
  if (isZero(block)) return null;
  if (octal(block, 148, 8, "checksum") !== checksum(block)) throw refused("a header's checksum is wrong");
  if (block.compare(MAGIC, 0, MAGIC.length, 257, 265) !== 0) throw refused("a header is not in POSIX format");
  const prefix = text(block, 345, 155);
  const suffix = text(block, 0, 100);
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, SLASH, suffix]) : suffix,
    mode: octal(block, 100, 8, "mode"),
    uid: octal(block, 108, 8, "uid"),
    gid: octal(block, 116, 8, "gid"),
    size: octal(block, 124, 12, "size"),
    mtime: octal(block, 136, 12, "mtime"),
    type: String.fromCharCode(block[156] ?? 0),
    link: text(block, 157, 100),
    device: octal(block, 329, 8, "device") * 2 ** 20 + octal(block, 337, 8, "device"),
  };
}

const MAGIC = Buffer.from("ustar\x0000");
const SLASH = Buffer.from("/");
const ZERO_BLOCK = Buffer.alloc(BLOCK);

function isZero(block: Buffer): boolean {
  return block[0] === 0 && block.equals(ZERO_BLOCK);
}

/** The sum of all bytes with the checksum's own field read as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < 148; i++) sum += block[i] ?? 0;
  for (let i = 156; i < BLOCK; i++) sum += block[i] ?? 0;
  return sum;
}

/** What of a header is put right as it passes by. */
export interface HeaderChange {
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

const PLACES = { mode: 100, uid: 108, gid: 116 } as const;

/** Changes a header in place. */
export function writeHeader(block: Buffer, change: HeaderChange): void {
  for (const [field, place] of Object.entries(PLACES) as [keyof HeaderChange, number][]) {
    const value = change[field];
    if (value !== undefined) block.write(`${value.toString(8).padStart(7, "0")}\0`, place, "latin1");
  }
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
}

const NOTHING = Buffer.alloc(0);

/** Up to the first NUL, copied: the block is a piece of a buffer that is used again. */
function text(block: Buffer, start: number, length: number): Buffer {
  if (block[start] === 0) return NOTHING;
  const end = block.indexOf(0, start);
  return Buffer.from(block.subarray(start, end === -1 || end > start + length ? start + length : end));
}

/**
 * Digits, padded by spaces or NULs. GNU tar's other notation (base 256, which can be negative) never appears in the
 * POSIX format: larger values are in the extended header, so anything else is not ours.
 */
function octal(block: Buffer, start: number, length: number, what: string): number {
  let value = 0;
  let digits = 0;
  for (let i = start; i < start + length; i++) {
    const byte = block[i] ?? 0;
    if (byte >= 0x30 && byte <= 0x37) {
      value = value * 8 + (byte - 0x30);
      digits++;
    } else if (byte === 0 || byte === 0x20) {
      if (digits > 0) break;
    } else {
      throw refused(`a header's ${what} is not a number`);
    }
  }
  return value;
}

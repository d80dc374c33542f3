import { MEBIBYTE } from "./pod-parts.ts";

const SMALLEST_PART = 8 * MEBIBYTE;
/** A job holds two parts in memory. Larger ones only where a store takes no more of this size. */
const LARGEST_PART = 128 * MEBIBYTE;
/** So many addresses fit one Secret in most stores: one is made faster than two. */
const FEW_PARTS = 900;
/** Of one upload, in every store. */
const MOST_PARTS = 10_000;

/** In how many parts of which size a claim's home is sent. A tenth more than it holds: what does not compress grows a little. */
export function partsFor(sizeBytes: number): { parts: number; partBytes: number } {
  const room = Math.ceil(sizeBytes * 1.1) + SMALLEST_PART;
  const inParts = (count: number): number => Math.ceil(room / count / MEBIBYTE) * MEBIBYTE;
  const partBytes = Math.max(SMALLEST_PART, Math.min(LARGEST_PART, inParts(FEW_PARTS)), inParts(MOST_PARTS));
  return { parts: Math.ceil(room / partBytes), partBytes };
}

/** For the programs, and for two parts: one on its way while the next one fills. */
const PROGRAMS_BYTES = 768 * MEBIBYTE;

export function memoryFor(partBytes: number): number {
  return Math.max(1024 * MEBIBYTE, PROGRAMS_BYTES + 2 * partBytes);
}

/** A Secret may have a mebibyte. How long an address is, is the store's business: with a session's token it is kilobytes. */
const PIECE_BYTES = 1_000_000;

/** Cut so that each fits a Secret; never none. */
export function piecesOf(bytes: Buffer): readonly Buffer[] {
  const count = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES));
}

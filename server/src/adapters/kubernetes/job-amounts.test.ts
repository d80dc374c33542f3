import { describe, expect, it } from "vitest";
import { memoryFor, partsFor, piecesOf } from "./job-amounts.ts";

const [MIB, GIB, TIB] = [2 ** 20, 2 ** 30, 2 ** 40];

describe("the parts of an archive", () => {
  it.each([0, 1, 64 * MIB, 10 * GIB, 100 * GIB, 400 * GIB, 2 * TIB, 16 * TIB])(
    "of a claim of %d bytes hold all of it, are as many as a store takes, and fit the job's memory",
    (size) => {
      const { parts, partBytes } = partsFor(size);
      expect(parts * partBytes).toBeGreaterThan(size * 1.1);
      expect(partBytes).toBeGreaterThanOrEqual(8 * MIB);
      expect(parts).toBeLessThanOrEqual(10_000);
      // One is on its way while the next one fills, beside Node, tar and zstd.
      expect(memoryFor(partBytes) - 2 * partBytes).toBeGreaterThanOrEqual(768 * MIB);
      if (size <= TIB) expect(memoryFor(partBytes)).toBe(GIB);
    },
  );

  it("are small where the claim is", () => {
    expect(partsFor(10 * GIB).partBytes).toBeLessThan(16 * MIB);
    expect(partsFor(64 * MIB)).toEqual({ parts: 10, partBytes: 8 * MIB });
  });
});

it.each([0, 10, 999_999, 1_000_000, 1_000_001, 7_000_000])(
  "cuts %d bytes of addresses so that each piece fits a Secret",
  (size) => {
    const bytes = Buffer.alloc(size, "address");
    const pieces = piecesOf(bytes);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(pieces.length).toBe(Math.max(1, Math.ceil(size / 1_000_000)));
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(MIB);
  },
);

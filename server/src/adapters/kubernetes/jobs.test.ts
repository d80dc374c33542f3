import { describe, expect, it } from "vitest";
import { partsFor } from "./jobs.ts";
import { quantityOf } from "./quantity.ts";

const [MIB, GIB, TIB] = [2 ** 20, 2 ** 30, 2 ** 40];
/** About what an address takes in a Secret, of which there may be a mebibyte. */
const ADDRESS_BYTES = 700;

describe("the parts of an archive", () => {
  it.each([1, 64 * MIB, 10 * GIB, 100 * GIB, 2 * TIB])(
    "of a claim of %d bytes hold all of it and fit a Secret",
    (size) => {
      const { parts, partBytes } = partsFor(size);
      expect(parts * partBytes).toBeGreaterThan(size * 1.1);
      expect(partBytes).toBeGreaterThanOrEqual(8 * MIB);
      expect(parts * ADDRESS_BYTES).toBeLessThan(MIB);
    },
  );

  it("are small where the claim is", () => {
    expect(partsFor(10 * GIB).partBytes).toBeLessThan(16 * MIB);
    expect(partsFor(64 * MIB)).toEqual({ parts: 10, partBytes: 8 * MIB });
  });
});

it.each([
  ["67108864", 67_108_864],
  ["64Mi", 64 * MIB],
  ["1.5Gi", 1.5 * GIB],
  ["10G", 10e9],
  ["2Ti", 2 * TIB],
  ["", null],
  ["10 Gi", null],
  ["10Xi", null],
])("reads the amount %j", (text, bytes) => {
  expect(quantityOf(text)).toBe(bytes);
});

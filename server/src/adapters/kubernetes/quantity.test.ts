import { expect, it } from "vitest";
import { quantityOf } from "./quantity.ts";

const [MIB, GIB, TIB] = [2 ** 20, 2 ** 30, 2 ** 40];

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

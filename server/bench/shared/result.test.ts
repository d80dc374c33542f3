import { expect, test } from "vitest";
import { rowsOf } from "../result.ts";
import { tableOf } from "./table.ts";

test("a figure is held against its goal: exactly that is met, no number never is, and none has none", () => {
  const met = (at_rest_mb: number) => rowsOf("memory", { metrics: { at_rest_mb }, ratios: {} })[0]?.met;
  expect([149, 150, 151, Number.NaN].map(met)).toEqual([true, true, false, false]);
  expect(rowsOf("start", { metrics: {}, ratios: { raw_engine: 0.5 } })).toEqual([
    { name: "raw_engine", value: 0.5, goal: null, met: null },
  ]);
});

test("the table says what was missed", () => {
  const rows = rowsOf("recovery", { metrics: { api_to_ide_s: 0.25, api_back_s: 1.52349 }, ratios: { plain_start: 2 } });
  expect(
    tableOf("recovery", rows)
      .split("\n")
      .map((line) => line.trim().split(/\s{2,}/)),
  ).toEqual([
    ["recovery"],
    ["api_to_ide_s", "0.25", "<= 1.5", "met"],
    ["api_back_s", "1.523", "<= 1", "MISSED"],
    ["plain_start", "2"],
    [""],
  ]);
});

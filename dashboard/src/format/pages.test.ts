import { expect, test } from "vitest";
import { pageNumbers } from "./pages.ts";

test.each([
  [1, 1, "1"],
  [1, 3, "1 2 3"],
  [2, 4, "1 2 3 4"],
  [1, 17, "1 2 … 17"],
  [3, 17, "1 2 3 4 … 17"],
  [4, 17, "1 2 3 4 5 … 17"],
  [9, 17, "1 … 8 9 10 … 17"],
  [17, 17, "1 … 16 17"],
  [20, 17, "1 … 17"],
])("page %d of %d: %s", (current, last, shown) => {
  expect(
    pageNumbers(current, last)
      .map((page) => page ?? "…")
      .join(" "),
  ).toBe(shown);
});

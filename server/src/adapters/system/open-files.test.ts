import { expect, test } from "vitest";
import { openFileLimit } from "./open-files.ts";

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max resident set          unlimited            unlimited            bytes     
Max open files            ${soft.padEnd(20)} 524288               files     
Max locked memory         8388608              8388608              bytes     
`;

test.each([
  [limits("1024"), 1_024],
  [limits("524288"), 524_288],
  [limits("unlimited"), Number.MAX_SAFE_INTEGER],
  ["", 1_024],
])("the soft limit of %j is %d", (text, expected) => {
  expect(openFileLimit(text)).toBe(expected);
});

test("this process has one", () => {
  expect(openFileLimit()).toBeGreaterThan(100);
});

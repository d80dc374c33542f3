import { expect, test } from "vitest";
import { LOOKS_AT_ONCE, MOST_LOOKS, mayLook } from "./may-look.ts";

const NOW = 1_000_000;
const at = (agoMs: number, isOpen = false) => ({ askedAt: NOW - agoMs, isOpen });
const many = (count: number) => Array.from({ length: count }, () => at(30_000));

test.each([
  ["never before", [], 0, { ok: true }],
  ["looked into now", [at(5, true)], 0, { ok: false, limit: "under_way" }],
  ["others looked into, as many as may be", [], LOOKS_AT_ONCE, { ok: false, limit: "under_way" }],
  ["others looked into, and one more may be", [at(5)], LOOKS_AT_ONCE - 1, { ok: true }],
  ["almost too often", many(MOST_LOOKS - 1), 0, { ok: true }],
  ["too often", many(MOST_LOOKS), 0, { ok: false, limit: "too_many", retryAfterSeconds: 30 }],
] as const)("a home: %s", (_, before, others, answer) => {
  expect(mayLook(before, others, NOW)).toEqual(answer);
});

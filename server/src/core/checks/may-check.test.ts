import { describe, expect, test } from "vitest";
import { CHECKS_WITHIN_MS, MOST_CHECKS, mayCheck } from "./may-check.ts";

const NOW = 1_000_000;
const at = (agoMs: number, isOpen = false) => ({ askedAt: NOW - agoMs, isOpen });
const many = (count: number, agoMs: number) => Array.from({ length: count }, (_, index) => at(agoMs - index));

describe("how often somebody may ask", () => {
  test.each([
    ["never before", [], { ok: true }],
    ["one that is not answered", [at(1, true)], { ok: false, limit: "under_way" }],
    ["one that was never answered", [at(9e9, true)], { ok: false, limit: "under_way" }],
    ["almost too often", many(MOST_CHECKS - 1, 1_000), { ok: true }],
    ["too often", many(MOST_CHECKS, 20_000), { ok: false, limit: "too_many", retryAfterSeconds: 40 }],
    [
      "too often, and often before",
      [...many(9, 9e5), ...many(MOST_CHECKS, 20_000)],
      { ok: false, limit: "too_many", retryAfterSeconds: 40 },
    ],
    ["as often, but before", many(MOST_CHECKS, CHECKS_WITHIN_MS + MOST_CHECKS), { ok: true }],
    [
      "the last moment",
      many(MOST_CHECKS, CHECKS_WITHIN_MS - 1),
      { ok: false, limit: "too_many", retryAfterSeconds: 1 },
    ],
  ] as const)("%s", (_, before, answer) => {
    expect(mayCheck(before, NOW)).toEqual(answer);
  });
});

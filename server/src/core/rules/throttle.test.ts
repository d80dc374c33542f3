import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Counter, countAttempt, type Familiarity, judgeAttempt, THROTTLE_RULES, waitLeft } from "./throttle.ts";

const { pair, account } = THROTTLE_RULES;

function afterFailures(count: number, rule: (typeof THROTTLE_RULES)[keyof typeof THROTTLE_RULES]) {
  let now = 1_000_000;
  let counter: Counter | null = null;
  for (let failure = 0; failure < count; failure += 1) {
    now += waitLeft(counter, rule, now);
    counter = countAttempt(counter, rule, now);
  }
  return { counter, now };
}

describe("login throttling", () => {
  it("costs nothing at first, then doubles up to the longest wait", () => {
    const waits = Array.from({ length: 16 }, (_, failures) => {
      const { counter, now } = afterFailures(failures, pair);
      return waitLeft(counter, pair, now);
    });
    expect(waits.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(waits.slice(5, 9)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(Math.max(...waits)).toBe(pair.longestWaitMs);
  });

  it("never keeps an account's owner out for longer than a minute, however many strangers guess", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000 }), (failures) => {
        const { counter, now } = afterFailures(failures, account);
        return waitLeft(counter, account, now) <= 60_000;
      }),
      { numRuns: 50 },
    );
  });

  it("forgets after a quiet while, and counts anew from one", () => {
    const { counter, now } = afterFailures(12, pair);
    const later = now + pair.forgetMs;
    expect(waitLeft(counter, pair, later)).toBe(0);
    expect(countAttempt(counter, pair, later).failures).toBe(1);
  });

  it("every further failure is counted and never shortens the wait", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (failures) => {
        const { counter, now } = afterFailures(failures, pair);
        const next = countAttempt(counter, pair, now);
        expect(next.failures).toBe(failures + 1);
        expect(waitLeft(next, pair, now)).toBeGreaterThanOrEqual(waitLeft(counter, pair, now));
      }),
    );
  });
});

describe("who is held up by what", () => {
  const now = 5_000_000;
  const blocked: Counter = {
    failures: 99,
    firstFailureAt: now - 9,
    lastFailureAt: now - 9,
    blockedUntil: now + 50_000,
  };
  const tried: Counter = { ...blocked, failures: 1, blockedUntil: null };
  const forgotten: Counter = { ...tried, lastFailureAt: now - pair.forgetMs };

  it.each<[Familiarity, string, Partial<Record<"pair" | "address" | "account", Counter>>, boolean]>([
    ["device", "its own failures", { pair: blocked }, true],
    ["device", "everybody else's", { address: blocked, account: blocked }, false],
    ["address", "failures at this account from here", { pair: blocked }, true],
    ["address", "failures at other accounts and from elsewhere", { address: blocked, account: blocked }, false],
    ["none", "failures at this account from here", { pair: blocked }, true],
    ["none", "failures at this account from elsewhere", { account: blocked }, true],
    ["none", "failures at other accounts from here, at the first attempt", { address: blocked }, false],
    ["none", "the same, when the earlier attempt is forgotten", { pair: forgotten, address: blocked }, false],
    ["none", "failures at other accounts from here, at a further attempt", { pair: tried, address: blocked }, true],
  ])("known by %s: %s", (familiarity, _what, given, waits) => {
    const counters = { pair: null, address: null, account: null, ...given };
    const { waitMs, next } = judgeAttempt(counters, familiarity, now);
    expect(waitMs).toBe(waits ? 50_000 : 0);
    expect(next.pair === null).toBe(waits);
    if (!waits) expect([next.address === null, next.account === null]).toEqual(Array(2).fill(familiarity === "device"));
  });

  it("nobody is held up for longer than a minute by what others do", () => {
    expect(THROTTLE_RULES.address.longestWaitMs).toBeLessThanOrEqual(60_000);
    expect(THROTTLE_RULES.account.longestWaitMs).toBeLessThanOrEqual(60_000);
  });
});

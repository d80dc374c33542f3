import type { Ms } from "./workspace.ts";

/** How one counter of failed sign-ins turns failures into waiting. */
export interface ThrottleRule {
  /** Failures that cost nothing: people mistype. */
  readonly free: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** After this long without a failure everything is forgotten. */
  readonly forgetMs: number;
}

/**
 * One person at one address guesses at one account: slow soon. One address guesses at many accounts: slow later. Many
 * addresses guess at one account: slowed too, but never for longer than a minute, or anybody could keep its owner out.
 */
export const THROTTLE_RULES = {
  pair: { free: 5, firstWaitMs: 5_000, longestWaitMs: 15 * 60_000, forgetMs: 30 * 60_000 },
  address: { free: 20, firstWaitMs: 1_000, longestWaitMs: 15 * 60_000, forgetMs: 30 * 60_000 },
  account: { free: 50, firstWaitMs: 1_000, longestWaitMs: 60_000, forgetMs: 30 * 60_000 },
} as const satisfies Record<string, ThrottleRule>;

export interface Counter {
  readonly failures: number;
  readonly firstFailureAt: Ms;
  readonly lastFailureAt: Ms;
  readonly blockedUntil: Ms | null;
}

/** How long this counter still refuses attempts; 0 when it does not. */
export function waitLeft(counter: Counter | null, rule: ThrottleRule, now: Ms): number {
  if (counter === null || now - counter.lastFailureAt >= rule.forgetMs) return 0;
  return Math.max(0, (counter.blockedUntil ?? 0) - now);
}

/**
 * Counts an attempt before its password is looked at, so that a thousand attempts at the same moment are a thousand
 * failures and not one. A successful sign-in clears the counter afterwards.
 */
export function countAttempt(counter: Counter | null, rule: ThrottleRule, now: Ms): Counter {
  const forgotten = counter === null || now - counter.lastFailureAt >= rule.forgetMs;
  const failures = forgotten ? 1 : counter.failures + 1;
  const over = failures - rule.free;
  const wait = over < 0 ? null : Math.min(rule.longestWaitMs, rule.firstWaitMs * 2 ** Math.min(over, 30));
  return {
    failures,
    firstFailureAt: forgotten ? now : counter.firstFailureAt,
    lastFailureAt: now,
    blockedUntil: wait === null ? null : now + wait,
  };
}

import type { Ms } from "#core/rows/workspace.ts";

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
 * One browser, or one address, guesses at one account: slow soon. One address guesses at many accounts, or many addresses
 * at one account: slowed later, and never for longer than a minute, or anybody could keep others out.
 */
export const THROTTLE_RULES = {
  pair: { free: 5, firstWaitMs: 5_000, longestWaitMs: 15 * 60_000, forgetMs: 30 * 60_000 },
  address: { free: 20, firstWaitMs: 1_000, longestWaitMs: 60_000, forgetMs: 30 * 60_000 },
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

/** How well an attempt is known: by its browser, by its address, or not at all. */
export type Familiarity = "device" | "address" | "none";

/** What was counted for this browser or address at this account, for the address, and for the account everywhere. */
export interface Counters<C = Counter | null> {
  readonly pair: C;
  readonly address: C;
  readonly account: C;
}

/**
 * How long an attempt has to wait, and how the counters look when it is made; null leaves a counter alone.
 *
 * A browser that has signed in before is held up by its own failures only, so nobody can keep its person out. Where an
 * account has signed in from the address before, guesses from elsewhere or at other accounts do not count either. For
 * everybody else all three hold, but an address's failures do not hold up the first attempt at an account: a whole
 * company may share the address, and one guesser in it must not lock it.
 */
export function judgeAttempt(
  counters: Counters,
  familiarity: Familiarity,
  now: Ms,
): { readonly waitMs: number; readonly next: Counters } {
  const { pair, address, account } = THROTTLE_RULES;
  const stranger = familiarity === "none";
  const triedBefore = counters.pair !== null && now - counters.pair.lastFailureAt < pair.forgetMs;
  const waitMs = Math.max(
    waitLeft(counters.pair, pair, now),
    stranger && triedBefore ? waitLeft(counters.address, address, now) : 0,
    stranger ? waitLeft(counters.account, account, now) : 0,
  );
  if (waitMs > 0) return { waitMs, next: { pair: null, address: null, account: null } };
  const shared = familiarity !== "device";
  return {
    waitMs,
    next: {
      pair: countAttempt(counters.pair, pair, now),
      address: shared ? countAttempt(counters.address, address, now) : null,
      account: shared ? countAttempt(counters.account, account, now) : null,
    },
  };
}

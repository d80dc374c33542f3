import type { Ms } from "#core/rows/workspace.ts";
import { type Asked, type MayAsk, mayAsk } from "#core/rules/may-ask.ts";

/** Enough for somebody who tries another token; too few to look for hosts and doors with. */
export const MOST_CHECKS = 5;
export const CHECKS_WITHIN_MS = 60_000;

export type MayCheck = MayAsk;

/** From what this person has asked before, all of it that counts. */
export const mayCheck = (before: readonly Asked[], now: Ms): MayCheck =>
  mayAsk(before, now, { most: MOST_CHECKS, withinMs: CHECKS_WITHIN_MS });

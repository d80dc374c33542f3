import type { Ms } from "#core/rows/workspace.ts";
import { type Asked, type MayAsk, mayAsk } from "#core/rules/may-ask.ts";

/** Enough for somebody who empties one cache after the other and looks each time. */
export const MOST_LOOKS = 20;
export const LOOKS_WITHIN_MS = 60_000;
/** Of all homes: they share a disk, and a look reads all of its names. */
export const LOOKS_AT_ONCE = 4;

/** What was asked of this home before, and how many others are looked into now. */
export const mayLook = (before: readonly Asked[], others: number, now: Ms): MayAsk =>
  others >= LOOKS_AT_ONCE
    ? { ok: false, limit: "under_way" }
    : mayAsk(before, now, { most: MOST_LOOKS, withinMs: LOOKS_WITHIN_MS });

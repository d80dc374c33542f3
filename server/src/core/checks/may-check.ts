import type { Ms } from "#core/rows/workspace.ts";

/** Enough for somebody who tries another token; too few to look for hosts and doors with. */
export const MOST_CHECKS = 5;
export const CHECKS_WITHIN_MS = 60_000;

export type MayCheck =
  | { readonly ok: true }
  /** One after the other. */
  | { readonly ok: false; readonly limit: "under_way" }
  | { readonly ok: false; readonly limit: "too_many"; readonly retryAfterSeconds: number };

/** From what this person has asked before, all of it that counts. */
export function mayCheck(before: readonly { readonly askedAt: Ms; readonly isOpen: boolean }[], now: Ms): MayCheck {
  if (before.some(({ isOpen }) => isOpen)) return { ok: false, limit: "under_way" };
  const recent = before.map(({ askedAt }) => askedAt).filter((at) => now - at < CHECKS_WITHIN_MS);
  if (recent.length < MOST_CHECKS) return { ok: true };
  const leaves = recent.toSorted((a, b) => b - a)[MOST_CHECKS - 1] ?? now;
  return {
    ok: false,
    limit: "too_many",
    retryAfterSeconds: Math.max(1, Math.ceil((leaves + CHECKS_WITHIN_MS - now) / 1_000)),
  };
}

import type { Ms } from "#core/rows/workspace.ts";

export type MayAsk =
  | { readonly ok: true }
  /** One after the other. */
  | { readonly ok: false; readonly limit: "under_way" }
  | { readonly ok: false; readonly limit: "too_many"; readonly retryAfterSeconds: number };

export interface Asked {
  readonly askedAt: Ms;
  readonly isOpen: boolean;
}

/** For what is dear: one at a time, and so many in a time. From what was asked before, all of it that counts. */
export function mayAsk(
  before: readonly Asked[],
  now: Ms,
  { most, withinMs }: { readonly most: number; readonly withinMs: number },
): MayAsk {
  if (before.some(({ isOpen }) => isOpen)) return { ok: false, limit: "under_way" };
  const recent = before.map(({ askedAt }) => askedAt).filter((at) => now - at < withinMs);
  if (recent.length < most) return { ok: true };
  const leaves = recent.toSorted((a, b) => b - a)[most - 1] ?? now;
  return { ok: false, limit: "too_many", retryAfterSeconds: Math.max(1, Math.ceil((leaves + withinMs - now) / 1_000)) };
}

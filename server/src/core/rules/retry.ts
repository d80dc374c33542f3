const FIRST_MS = 1_000;
export const LONGEST_BACKOFF_MS = 300_000;

/**
 * Exponential backoff with jitter, 1 s to 5 min. `random` is in [0, 1): the wait lies between half of the step and
 * the whole of it, so that a fleet that failed together does not come back together.
 */
export function backoffMs(failures: number, random: number, minimumMs: number): number {
  const step = Math.min(LONGEST_BACKOFF_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(minimumMs, Math.round(step / 2 + (step / 2) * random));
}

import { setTimeout as pause } from "node:timers/promises";

/** Generous: the machine may be doing other things. What decides is whether it happens at all. */
export const PATIENCE_MS = 300_000;

/** Asks again and again until the answer is one; says what was waited for when it never is. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline)
      throw new Error(`Waited ${limitMs / 1000} s for this and it did not come: ${what}`);
    await pause(100);
  }
}

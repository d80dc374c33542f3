import type { Ms } from "./workspace.ts";

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** The first Monday after the beginning of time, which was a Thursday. */
const MONDAY = 4 * DAY;

/** When the last weeks began, this one among them: Mondays, UTC. */
export function lastWeeks(now: Ms, count: number): Ms[] {
  const current = Math.floor((now - MONDAY) / WEEK) * WEEK + MONDAY;
  return Array.from({ length: count }, (_, index) => current - (count - 1 - index) * WEEK);
}

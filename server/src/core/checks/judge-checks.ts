import type { Ms } from "#core/rows/workspace.ts";
import type { OpenCheck } from "./check.ts";

/** Nobody waits for an answer any longer than this. */
export const TOO_LATE_MS = 300_000;

/** What a leader does about questions that are not answered. */
export interface CheckPlan {
  /** Begun by somebody who is not at it any more: its job is ended, and the person asks again. */
  readonly interrupted: readonly string[];
  /** Asked while nobody led, too long ago: a secret is not opened for nobody. */
  readonly late: readonly string[];
  readonly run: readonly OpenCheck[];
}

/** Nothing outlives a leader: what is said to run and is not under way here was begun by another one, or by this one in vain. */
export function judgeChecks(
  open: readonly OpenCheck[],
  { underWay, now, most }: { readonly underWay: ReadonlySet<string>; readonly now: Ms; readonly most: number },
): CheckPlan {
  const isLate = ({ askedAt }: OpenCheck): boolean => now - askedAt > TOO_LATE_MS;
  const asked = open.filter(({ state, id }) => state === "asked" && !underWay.has(id));
  const inTime = asked.filter((check) => !isLate(check)).toSorted((a, b) => a.askedAt - b.askedAt);
  return {
    interrupted: open.filter(({ state, id }) => state === "running" && !underWay.has(id)).map(({ id }) => id),
    late: asked.filter(isLate).map(({ id }) => id),
    run: inTime.slice(0, Math.max(0, most - underWay.size)),
  };
}

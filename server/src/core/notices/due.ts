import type { Ms } from "#core/rows/workspace.ts";
import type { Concern } from "./concerns.ts";

/** A concern as one channel remembers it, over restarts. */
export interface Remembered extends Concern {
  /** For receivers, who may get the same twice when a process dies between sending and remembering. */
  readonly id: string;
  readonly seenAt: Ms;
  /** When somebody was told of it; null before. */
  readonly toldAt: Ms | null;
  /** Since when it is not there any more; null while it is. */
  readonly goneAt: Ms | null;
  /** Of the telling that is due. */
  readonly tries: number;
  readonly nextTryAt: Ms;
}

/** What somebody is told of it: that it is there, or that it is over. */
export type NoticeState = "begun" | "over";

export interface Due {
  readonly state: NoticeState;
  /** As it is remembered while it is being told: with this try counted, so that nobody else tries at once. */
  readonly row: Remembered;
}

export interface Decided {
  readonly save: readonly Remembered[];
  readonly forget: readonly string[];
  readonly tell: readonly Due[];
}

const MAX_TRIES = 8;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;
/** More would not be read, and a message stays small; the others come with the next look. */
const MOST_AT_ONCE = 50;

/**
 * Each concern is told once when it has been there for a while, and once when it has been gone for a while. One that comes and goes in
 * between is never told; one that comes back before it was told to be over goes on. A channel that takes nothing is given up after some hours.
 */
export function noticesDue(
  concerns: readonly Concern[],
  remembered: readonly Remembered[],
  { now, afterMs, newId }: { readonly now: Ms; readonly afterMs: number; readonly newId: () => string },
): Decided {
  const there = new Set(concerns.map(({ key }) => key));
  const known = new Set(remembered.map(({ key }) => key));
  const save: Remembered[] = [];
  const forget: string[] = [];
  const tell: Due[] = [];
  const fresh = concerns
    .filter(({ key }) => !known.has(key))
    .map((one) => ({ ...one, id: newId(), seenAt: now, toldAt: null, goneAt: null, tries: 0, nextTryAt: now }));
  for (const before of [...remembered, ...fresh]) {
    const row = there.has(before.key) ? isThere(before, now) : isGone(before, now);
    if (row === null) {
      forget.push(before.key);
      continue;
    }
    const state = stateDue(row, now, afterMs);
    const isTold = state !== null && row.nextTryAt <= now && tell.length < MOST_AT_ONCE;
    const after = isTold ? { ...row, tries: row.tries + 1, nextTryAt: now + waitAfter(row.tries) } : row;
    if (state !== null && isTold) tell.push({ state, row: after });
    if (after !== before || !known.has(before.key)) save.push(after);
  }
  return { save, forget, tell };
}

function isThere(row: Remembered, now: Ms): Remembered {
  if (row.goneAt === null) return row;
  return { ...row, goneAt: null, tries: 0, nextTryAt: now };
}

/** Null: nobody was told of it, so nobody is told that it is over. */
function isGone(row: Remembered, now: Ms): Remembered | null {
  if (row.toldAt === null) return null;
  return row.goneAt === null ? { ...row, goneAt: now, tries: 0, nextTryAt: now } : row;
}

function stateDue({ seenAt, toldAt, goneAt }: Remembered, now: Ms, afterMs: number): NoticeState | null {
  if (goneAt !== null) return now - goneAt >= afterMs ? "over" : null;
  return toldAt === null && now - seenAt >= afterMs ? "begun" : null;
}

const waitAfter = (tries: number): number => Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);

/** What is remembered once it was told; null: nothing any more. */
export const afterTelling = ({ state, row }: Due, now: Ms): Remembered | null =>
  state === "over" ? null : { ...row, toldAt: now, tries: 0, nextTryAt: now };

/** One that nobody takes is treated as told in the end. */
export const isGivenUp = ({ row }: Due): boolean => row.tries >= MAX_TRIES;

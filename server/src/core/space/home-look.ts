import { CACHES, type CacheId } from "./caches.ts";

/** A folder with all that is below it, or a file. */
export interface Taken {
  /** Below the home; empty for the home itself. As its owner named it, which may be anything. */
  readonly path: string;
  readonly bytes: number;
}

/** What a look into a home saw, in the time that it had. */
export interface HomeLook {
  /** False: there is more than was seen. */
  readonly whole: boolean;
  /** Of the caches' folders that were asked for. */
  readonly caches: readonly Taken[];
  readonly taken: readonly Taken[];
}

export interface Emptied {
  /** False: something is left. */
  readonly whole: boolean;
  /** What the folders took before and after; null where that could not be counted in time. */
  readonly before: number | null;
  readonly after: number | null;
}

/** As deep as a look goes, and no smaller than what is worth to be shown. */
export const LOOK_DEPTH = 3;
export const WORTH_BYTES = 1024 * 1024;
const MOST_SHOWN = 15;
const NEARLY_ALL = 0.9;

export const homeBytesOf = ({ taken }: HomeLook): number | null => taken.find(({ path }) => path === "")?.bytes ?? null;

/** The largest first. A folder of which one entry is nearly all says nothing that the entry does not say better. */
export function largestOf({ taken }: HomeLook): Taken[] {
  const largestIn = new Map<string, number>();
  for (const { path, bytes } of taken) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (path !== "") largestIn.set(parent, Math.max(bytes, largestIn.get(parent) ?? 0));
  }
  return taken
    .filter(({ path, bytes }) => path !== "" && (largestIn.get(path) ?? 0) < bytes * NEARLY_ALL)
    .toSorted((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_SHOWN);
}

export interface CacheSeen {
  readonly id: CacheId;
  readonly folders: readonly string[];
  readonly bytes: number;
}

/** Those that are worth to be emptied, the largest first, each with those of its folders that are there. */
export const cachesIn = ({ caches }: HomeLook): CacheSeen[] =>
  CACHES.map(({ id, folders }) => {
    const there = caches.filter(({ path }) => (folders as readonly string[]).includes(path));
    return { id, folders: there.map(({ path }) => path), bytes: there.reduce((sum, { bytes }) => sum + bytes, 0) };
  })
    .filter(({ bytes }) => bytes >= WORTH_BYTES)
    .toSorted((a, b) => b.bytes - a.bytes);

/** Line ends, marks of direction and whatever else cannot be seen or changes how its neighbours are shown. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name as it can be shown on one line: what cannot be seen in it has a sign in its place. */
export const shownPath = (path: string): string => path.replace(UNSEEN, "\u{FFFD}");

/** Null where it could not be counted. A program that was faster than we were may have filled it anew meanwhile. */
export const freedBytes = ({ before, after }: Emptied): number | null =>
  before === null || after === null ? null : Math.max(0, before - after);

import type { Facts, Mutation } from "#core/rows/mutation.ts";
import type { HomeDisk, Workspace } from "#core/rows/workspace.ts";

export type DiskUse = Pick<HomeDisk, "usedBytes" | "totalBytes" | "shared">;

/** Nearly full begins at the first; what was seen is written again at each of the others, and not in between. */
const BOUNDS = [0.9, 0.95, 0.98];
/** Written files come and go around a bound: it is left only a little below. */
const BACK = 0.02;
/** A large disk that all homes share has room for a long time when nine tenths of it are used. */
const SHARED_ENOUGH_BYTES = 10 * 1024 ** 3;

/** How many of the bounds it is past, when it was past `before` of them when looked at last. */
function boundsPast({ usedBytes, totalBytes, shared }: DiskUse, before: number): number {
  if (shared && totalBytes - usedBytes >= SHARED_ENOUGH_BYTES) return 0;
  const ratio = totalBytes === 0 ? 0 : usedBytes / totalBytes;
  return BOUNDS.filter((bound, index) => ratio >= (index < before ? bound - BACK : bound)).length;
}

/** What is remembered of the disk that the home is on now; null while there is room. */
export const nearlyFull = ({ homeCtx, homeVolume }: Pick<Workspace, "homeCtx" | "homeVolume">): HomeDisk | null =>
  homeCtx.disk?.volume === homeVolume ? homeCtx.disk : null;

/**
 * A home's disk was measured. Nothing is written for a home with room, nor for one that is as full as it was: rows would
 * change all the time, and whoever looks at one would be told each time.
 */
export function diskSeen({ row, now }: Facts, volume: string, use: DiskUse): Mutation | null {
  if (row.homeVolume !== volume) return null;
  const last = nearlyFull(row);
  const before = last === null ? 0 : boundsPast(last, 0);
  const past = boundsPast(use, before);
  if (past === 0) return row.homeCtx.disk === null ? null : { patch: { homeCtx: { ...row.homeCtx, disk: null } } };
  if (past === before && last?.totalBytes === use.totalBytes) return null;
  return { patch: { homeCtx: { ...row.homeCtx, disk: { ...use, volume, at: now } } } };
}

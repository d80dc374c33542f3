import { moment } from "#core/rows/meaning.ts";
import type { EventLine, Facts, Mutation } from "#core/rows/mutation.ts";
import type { ArchiveRecord, VerdictColumns } from "#core/rows/workspace.ts";
import { CLEARED, withPhase } from "#core/rules/transitions.ts";

/** What becomes of a home when the engine that had it is given up. */
export type HomeFate =
  /** Nothing of it was there. */
  | "elsewhere"
  /** Its newest archive is the home now. */
  | "archive"
  /** Its only copy was there: the row goes on naming it, so that nothing is ever opened in its place by itself. */
  | "lost";

/** Only what a person has not let go of: what was discarded by a reset is not opened because something else was lost. */
export const newestArchive = (archives: readonly ArchiveRecord[]): ArchiveRecord | null =>
  archives
    .filter(({ state }) => state === "current" || state === "version")
    .toSorted((one, other) => other.createdAt - one.createdAt)[0] ?? null;

export function fateOf({ row, archives, volumes }: Facts): HomeFate {
  if (row.homeVolume !== null) return newestArchive(archives) === null ? "lost" : "archive";
  const isThere = row.endpoint !== null || row.operation !== "NONE" || volumes.some(({ state }) => state !== "gone");
  return isThere ? "archive" : "elsewhere";
}

/**
 * An operator's word that the engine with everything on it is gone, for one workspace: what ran there is forgotten, volumes are
 * gone for the books, and the home is its newest archive. A home without one stays where it was, and is reported as lost as
 * soon as somebody looks for it.
 */
export function giveUpEngine(facts: Facts): Mutation | null {
  const { row, archives, volumes, now } = facts;
  const fate = fateOf(facts);
  if (fate === "elsewhere") return null;
  const newest = row.homeVolume === null ? null : newestArchive(archives);
  const pointers: Partial<VerdictColumns> = newest === null ? {} : { homeVolume: null, archiveKey: newest.key };
  const patch = { ...CLEARED, ...pointers, endpoint: null, conditions: {} };
  const others = archives
    .filter(({ state, key }) => newest !== null && state === "current" && key !== newest.key)
    .map((record): ArchiveRecord => ({ ...record, state: "version" }));
  const gone = volumes
    .filter(({ state, name }) => state !== "gone" && (fate !== "lost" || name !== row.homeVolume))
    .map((volume) => ({ ...volume, state: "gone" as const }));
  const event: EventLine = {
    actor: "system",
    kind: "engine_given_up",
    from: row.phase,
    to: null,
    code: fate === "lost" ? "lost" : newest === null ? "nothing_there" : "archive",
    details: newest === null ? {} : { archived_at: moment(newest.createdAt) },
  };
  return {
    patch: withPhase(row, patch, now),
    volumes: gone,
    archives: newest === null ? [] : [...others, { ...newest, state: "current", keepUntil: null }],
    events: [event],
  };
}

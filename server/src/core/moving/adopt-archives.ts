import type { EventLine, Facts, Mutation } from "#core/rows/mutation.ts";
import type { ArchiveRecord, Ms } from "#core/rows/workspace.ts";
import { withPhase } from "#core/rules/transitions.ts";
import { newestArchive } from "./give-up-engine.ts";

/** Clocks differ, and an archive may have been under way when the backup was taken. */
const MARGIN_MS = 3_600_000;

/**
 * Archives that the store has and a restored database does not know, because they were made after its backup. They become
 * versions; where the home is archived anyway, the newest is the home. What is older than the backup was given up before it.
 */
export function adoptArchives(facts: Facts, found: readonly ArchiveRecord[], takenAt: Ms): Mutation | null {
  const { row, archives, now } = facts;
  const known = new Set(archives.map(({ key }) => key));
  const fresh = found.filter(({ key, createdAt }) => !known.has(key) && createdAt > takenAt - MARGIN_MS);
  if (fresh.length === 0) return null;
  const all = [
    ...archives,
    ...fresh.map((record): ArchiveRecord => ({ ...record, state: "version", keepUntil: null })),
  ];
  const newest = newestArchive(all);
  // A home on a volume is newer than its archives, or lost; both are decided by looking.
  const isHome =
    newest !== null && row.homeVolume === null && row.operation === "NONE" && newest.key !== row.archiveKey;
  const changed = all.map((record): ArchiveRecord => {
    if (!isHome) return record;
    if (record.key === newest.key) return { ...record, state: "current" };
    return record.state === "current" ? { ...record, state: "version" } : record;
  });
  const event: EventLine = {
    actor: "system",
    kind: "archives_adopted",
    from: row.phase,
    to: null,
    code: isHome ? "newest_is_home" : "as_versions",
    details: { count: fresh.length },
  };
  // The former current one is written first: only one may be at a time.
  const inOrder = changed
    .filter((record) => !archives.includes(record))
    .toSorted((one, other) => Number(one.state === "current") - Number(other.state === "current"));
  const patch = isHome ? withPhase(row, { archiveKey: newest.key, conditions: {} }, now) : {};
  return { patch, archives: inOrder, events: [event] };
}

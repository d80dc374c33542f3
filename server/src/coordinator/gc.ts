import { KeptTally } from "#core/rules/gc.ts";
import type { ObjectSeen } from "#ports/archives.ts";
import { type MarkVerdict, NotLeader } from "#ports/store.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine, requireOurStore } from "./trust.ts";

const READ_AT_ONCE = 500;
/** What the store did not remove is given another try after this long, and meanwhile nobody waits behind it. */
const RETRY_MS = 600_000;

/**
 * Marks archives that nothing protects: list first, then read the rows. A list that is not complete rejects, and with
 * it the whole run. What is removed is decided by `removeMarked`, once the marks have aged.
 */
export async function collectGarbage(term: TermContext): Promise<void> {
  const { store, world, deps, logger } = term;
  if (await isQuarantined(term)) return;
  // Read before anything else: a mark that is set while this runs is newer than what it sees.
  const marks = await store.listMarks();
  const objects = await world.archives.list();
  const { loose, kept } = await withoutProtection(term, objects);
  await store.unmark(new Map([...marks].filter(([key]) => !loose.has(key))));
  await store.mark([...loose].filter((key) => !marks.has(key)));
  await store.recordListing({ listed: objects.length, kept: kept.counts() });
  const uploads = await world.archives.abortStaleUploads(deps.settings.staleUploadMs);
  logger.info({ listed: objects.length, unprotected: loose.size, uploads }, "garbage marked");
}

async function withoutProtection(
  term: TermContext,
  objects: readonly ObjectSeen[],
): Promise<{ loose: Set<string>; kept: KeptTally }> {
  const { store, deps } = term;
  const loose = new Set<string>();
  const kept = new KeptTally();
  for (let at = 0; at < objects.length; at += READ_AT_ONCE) {
    const keys = objects.slice(at, at + READ_AT_ONCE).map((object) => object.key);
    const now = term.databaseClock.now();
    for (const { key, row, record } of await store.readArchives(keys)) {
      const reason = deps.decisions.protection(key, row, record, now);
      if (reason === null) loose.add(key);
      else kept.add(reason, record);
    }
  }
  return { loose, kept };
}

/**
 * Removes what was marked long enough ago and is still unprotected, which is decided once more for each object, in the
 * transaction that gives it up. Its mark stays until the store has removed it; so what the store refuses is tried
 * again, later than everything else that waits.
 */
export async function removeMarked(term: TermContext): Promise<void> {
  const { store, world, deps, logger } = term;
  const { gcMarkAgeMs, gcRemovalsPerTick } = deps.settings;
  if (await isQuarantined(term)) return;
  await store.markPurged();
  const removed: string[] = [];
  try {
    for (const key of await store.listAgedMarks(gcMarkAgeMs, gcRemovalsPerTick)) {
      if (term.signal.aborted) return;
      try {
        const verdict = await store.giveUpArchive(key, RETRY_MS, ({ row, record, markedAt, now }): MarkVerdict => {
          if (markedAt === null || now - markedAt < gcMarkAgeMs) return "wait";
          return deps.decisions.protection(key, row, record, now) === null ? "remove" : "unmark";
        });
        if (verdict !== "remove") continue;
        await world.archives.remove(key);
        removed.push(key);
      } catch (error) {
        if (error instanceof NotLeader) throw error;
        logger.warn({ key, error: String(error) }, "archive not removed; it is tried again");
      }
    }
  } finally {
    if (removed.length > 0) await store.recordRemovals(removed);
  }
  if (removed.length > 0) logger.info({ removed: removed.length }, "garbage removed");
}

/**
 * A store that remembers a newer generation than the database means that the database came back from an older backup:
 * it does not know the newest archives, so nothing is removed until a person has looked.
 */
export async function isQuarantined(term: TermContext): Promise<boolean> {
  const { store, world, logger } = term;
  if (term.trust.engine !== null || term.trust.store !== null) return true;
  await Promise.all([requireOurEngine(term), requireOurStore(term)]);
  // The store is read first: the database counts before the store does, so what it says later is never behind by itself.
  const stored = await world.archives.readGeneration();
  const deployment = await store.deployment();
  if (deployment.quarantine !== null) return true;
  if (stored <= deployment.gcGeneration) return false;
  const reason = `The archive store is at generation ${stored}, the database at ${deployment.gcGeneration}: the database was restored from an older backup. Nothing is removed until an admin resumes it.`;
  logger.error({ stored, database: deployment.gcGeneration }, "garbage collection is quarantined");
  await store.setQuarantine(reason);
  return true;
}

/** Counts time in both places, so that an older database is recognised. The database is always ahead. */
export async function advanceGeneration(term: TermContext): Promise<void> {
  if (await isQuarantined(term)) return;
  await term.world.archives.writeGeneration(await term.store.nextGeneration());
}

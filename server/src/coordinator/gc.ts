import type { ObjectSeen } from "#ports/archives.ts";
import type { TermContext } from "./term.ts";

const READ_AT_ONCE = 500;

/**
 * Collects archives that nothing protects: list first, then read the rows, mark, and give up an object only when it is
 * still unprotected after the marks have aged, decided once more in the transaction that records it. A list that is
 * not complete rejects, and with it the whole run.
 */
export async function collectGarbage(term: TermContext): Promise<void> {
  const { store, world, deps, logger } = term;
  if (await isQuarantined(term)) return;
  const objects = await world.archives.list();
  const unprotected = await withoutProtection(term, objects);
  const marks = await store.listMarks();
  const loose = new Set(unprotected);
  await store.unmark([...marks.keys()].filter((key) => !loose.has(key)));
  await store.mark(unprotected.filter((key) => !marks.has(key)));
  let removed = 0;
  for (const key of unprotected.filter((one) => marks.has(one)).slice(0, deps.settings.gcCapPerRun)) {
    const given = await store.giveUpArchive(key, (facts) => {
      const aged = facts.markedAt !== null && facts.now - facts.markedAt >= deps.settings.gcMarkAgeMs;
      return aged && deps.decisions.protection(key, facts.row, facts.record, facts.now) === null;
    });
    if (!given) continue;
    await world.archives.remove(key);
    removed++;
  }
  const uploads = await world.archives.abortStaleUploads(deps.settings.staleUploadMs);
  logger.info({ listed: objects.length, unprotected: unprotected.length, removed, uploads }, "garbage collected");
}

async function withoutProtection(term: TermContext, objects: readonly ObjectSeen[]): Promise<string[]> {
  const { store, deps } = term;
  const loose: string[] = [];
  for (let at = 0; at < objects.length; at += READ_AT_ONCE) {
    const keys = objects.slice(at, at + READ_AT_ONCE).map((object) => object.key);
    const now = term.databaseClock.now();
    for (const { key, row, record } of await store.readArchives(keys)) {
      if (deps.decisions.protection(key, row, record, now) === null) loose.push(key);
    }
  }
  return loose;
}

/**
 * A store that remembers a newer generation than the database means that the database came back from an older backup:
 * it does not know the newest archives, so nothing is removed until a person has looked.
 */
export async function isQuarantined(term: TermContext): Promise<boolean> {
  const { store, world, logger } = term;
  if (term.trust.engine !== null || term.trust.store !== null) return true;
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

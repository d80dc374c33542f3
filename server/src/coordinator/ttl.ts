import { type ActivityGap, longestWaitMs, proxyGap } from "#core/requests/idle.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { TermContext } from "./term.ts";

const CANDIDATES_PER_RUN = 500;
const ACTIVITY_AT_ONCE = 5_000;

/**
 * Moves what the proxies saw into the rows, all of it: who is left for later would look idle. An entry is dropped only if
 * it did not rise meanwhile; one that did was written already and is read again.
 */
async function drainActivity(term: TermContext): Promise<void> {
  const { activity, requestStore } = term.deps;
  for (let more = true; more && !term.signal.aborted; ) {
    const entries = await activity.read(ACTIVITY_AT_ONCE);
    if (entries.length === 0) return;
    await requestStore.touch(new Map(entries.map((entry) => [entry.workspaceId, entry.at])));
    const removed = await activity.removeUnchanged(entries);
    more = entries.length === ACTIVITY_AT_ONCE && removed > 0;
  }
}

/**
 * Lowers the request of what nobody uses, through the store of people's requests: a newer request always wins. One for each
 * term: it remembers since when activity is not known.
 */
export function ttlRunner(term: TermContext): () => Promise<void> {
  const { clock, requestStore, decisions, settings } = term.deps;
  let knownAt = clock.monotonicMs();
  return async () => {
    const flushes = await collectActivity(term).catch(() => null);
    if (flushes !== null) knownAt = clock.monotonicMs();
    // By the database's clock: one of ours that is behind would take silence for news.
    const gapAt = (now: Ms): ActivityGap | null =>
      flushes === null
        ? { since: now - (clock.monotonicMs() - knownAt), of: "buffer" }
        : proxyGap(flushes, settings.activitySilenceMs, now);
    for (const id of await requestStore.listIdleCandidates(settings.ttl, CANDIDATES_PER_RUN)) {
      if (term.signal.aborted) return;
      const row = await requestStore.read(id);
      if (row === null) continue;
      const { desiredVersion } = row;
      await requestStore.change(id, { countSlots: false }, (facts) =>
        decisions.requestDemotion({ ...facts, defaults: settings.ttl, desiredVersion, gap: gapAt(facts.now) }),
      );
    }
    if (flushes !== null) await forgetTheDead(term, flushes);
  };
}

/**
 * When each registered proxy last handed over what it had seen, all of which is in the rows when this resolves. The times
 * are read first: what a proxy hands over between the two looks may be missed, and must then not count as handed over.
 */
async function collectActivity(term: TermContext): Promise<Ms[]> {
  const sources = await term.deps.activity.sources();
  await drainActivity(term);
  return sources.map((source) => source.flushedAt);
}

/** A proxy that was killed never takes itself off the list. When it cannot delay anything any more, it is dropped. */
async function forgetTheDead(term: TermContext, flushes: readonly Ms[]): Promise<void> {
  const { activity, requestStore, settings } = term.deps;
  // Our own clock may be ahead, and would take a proxy that is cut off for a dead one.
  if (!term.databaseClock.isKnown) return;
  const now = term.databaseClock.now();
  const { standbyTtlSeconds } = settings.ttl;
  const silentFor = now - Math.min(...flushes);
  if (silentFor <= Math.max(settings.activitySilenceMs, longestWaitMs(standbyTtlSeconds * 1000))) return;
  const longestTtlMs = (await requestStore.longestStandbyTtlSeconds(standbyTtlSeconds)) * 1000;
  await activity.forgetSilent(now - Math.max(settings.activitySilenceMs, longestWaitMs(longestTtlMs)));
}

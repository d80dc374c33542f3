import type { TermContext } from "./term.ts";

const CANDIDATES_PER_RUN = 500;
const ACTIVITY_PER_RUN = 5_000;

/** Moves what the proxies saw into the rows. An entry is dropped only if it did not rise meanwhile. */
async function drainActivity(term: TermContext): Promise<void> {
  const { activity, wishes } = term.deps;
  const entries = await activity.read(ACTIVITY_PER_RUN);
  if (entries.length === 0) return;
  await wishes.touch(new Map(entries.map((entry) => [entry.workspaceId, entry.at])));
  await activity.removeUnchanged(entries);
}

/**
 * Lowers the wish of what nobody uses, through the service layer's own door: a newer wish always wins. One for each
 * term: it remembers since when activity is not known.
 */
export function ttlRunner(term: TermContext): () => Promise<void> {
  const { clock, wishes, decisions, settings } = term.deps;
  let knownAt = clock.monotonicMs();
  return async () => {
    const flushedAt = await drainActivity(term)
      .then(() => oldestFlush(term))
      .catch(() => null);
    if (flushedAt !== null) knownAt = clock.monotonicMs();
    for (const id of await wishes.listIdleCandidates(settings.ttl, CANDIDATES_PER_RUN)) {
      if (term.signal.aborted) return;
      const row = await wishes.read(id);
      if (row === null) continue;
      const { desiredVersion } = row;
      await wishes.change(id, { countSlots: false }, (facts) => {
        // By the database's clock: one of ours that is behind would take silence for news.
        const since = flushedAt ?? facts.now - (clock.monotonicMs() - knownAt);
        const silent = flushedAt === null || facts.now - flushedAt > settings.activitySilenceMs;
        const activityUnknownSince = silent ? since : null;
        return decisions.wishFall({ ...facts, defaults: settings.ttl, desiredVersion, activityUnknownSince });
      });
    }
  };
}

/** When the proxy that was silent longest last handed over what it had seen; Infinity without any proxy. */
async function oldestFlush(term: TermContext): Promise<number> {
  const sources = await term.deps.activity.sources();
  return Math.min(...sources.map((source) => source.flushedAt));
}

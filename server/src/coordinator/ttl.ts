import type { TermContext } from "./term.ts";

const CANDIDATES_PER_RUN = 500;
const ACTIVITY_PER_RUN = 5_000;
const NOT_KNOWN = 0;

/** Moves what the proxies saw into the rows. An entry is dropped only if it did not rise meanwhile. */
async function drainActivity(term: TermContext): Promise<void> {
  const { activity, wishes } = term.deps;
  const entries = await activity.read(ACTIVITY_PER_RUN);
  if (entries.length === 0) return;
  await wishes.touch(new Map(entries.map((entry) => [entry.workspaceId, entry.at])));
  await activity.removeUnchanged(entries);
}

/** Lowers the wish of what nobody uses, through the service layer's own door: a newer wish always wins. */
export async function runTtl(term: TermContext): Promise<void> {
  const { wishes, decisions, settings } = term.deps;
  const drained = await drainActivity(term).then(
    () => true,
    () => false,
  );
  const flushedAt = drained ? await oldestFlush(term) : NOT_KNOWN;
  for (const id of await wishes.listIdleCandidates(settings.ttl, CANDIDATES_PER_RUN)) {
    if (term.signal.aborted) return;
    const row = await wishes.read(id);
    if (row === null) continue;
    const { desiredVersion } = row;
    await wishes.change(id, { countSlots: false }, (facts) => {
      // By the database's clock: one of ours that is behind would take silence for news.
      const activityUnknownSince = facts.now - flushedAt > settings.activitySilenceMs ? flushedAt : null;
      return decisions.wishFall({ ...facts, defaults: settings.ttl, desiredVersion, activityUnknownSince });
    });
  }
}

/** When the proxy that was silent longest last handed over what it had seen. Not knowing counts as silence. */
async function oldestFlush(term: TermContext): Promise<number> {
  try {
    const sources = await term.deps.activity.sources();
    return Math.min(...sources.map((source) => source.flushedAt));
  } catch {
    return NOT_KNOWN;
  }
}

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

/** Lowers the wish of what nobody uses, through the service layer's own door: a newer wish always wins. */
export async function runTtl(term: TermContext): Promise<void> {
  const { clock, wishes, decisions, settings } = term.deps;
  const drained = await drainActivity(term).then(
    () => true,
    () => false,
  );
  const activityUnknownSince = drained ? await silentSince(term) : clock.nowMs();
  for (const id of await wishes.listIdleCandidates(settings.ttl, CANDIDATES_PER_RUN)) {
    if (term.signal.aborted) return;
    const row = await wishes.read(id);
    if (row === null) continue;
    const { desiredVersion } = row;
    await wishes.change(id, { countSlots: false }, (facts) =>
      decisions.wishFall({ ...facts, defaults: settings.ttl, desiredVersion, activityUnknownSince }),
    );
  }
}

/** Since when some proxy may be holding back activity, or null when all have reported. Not knowing counts as silence. */
async function silentSince(term: TermContext): Promise<number | null> {
  const { activity, clock, settings } = term.deps;
  const now = clock.nowMs();
  try {
    const sources = await activity.sources();
    const oldest = Math.min(...sources.map((source) => source.flushedAt));
    return oldest < now - settings.activitySilenceMs ? oldest : null;
  } catch {
    return now;
  }
}

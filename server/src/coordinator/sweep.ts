import { type ContainerSeen, unseen } from "#core/rows/observation.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { isOnlyAge } from "#core/rules/transitions.ts";
import { fromLists } from "./look.ts";
import type { TermContext } from "./term.ts";
import { checkTrust, requireOurEngine } from "./trust.ts";

const ARCHIVES_PER_SWEEP = 20;

/**
 * One list per backend instead of one call per workspace. Returns the ids whose row does not say what was seen; a
 * targeted look follows for those, because a list may be older than the row it is compared with.
 */
export async function sweep(term: TermContext): Promise<string[]> {
  await checkTrust(term);
  const { store, world, deps } = term;
  const due = new Set(
    await store.listArchivesUnchecked(
      term.databaseClock.now() - deps.settings.archiveCheckIntervalMs,
      ARCHIVES_PER_SWEEP,
    ),
  );
  const rows = await store.listWithResources();
  if (term.trust.engine !== null) {
    // Nothing can be seen. Of those that do not say so yet each is looked at, which marks it as unknown.
    const blind = unseen("", term.trust.engine);
    const now = term.databaseClock.now();
    const observation = { at: now, volume: blind, containers: blind, archive: null };
    for (const row of rows) {
      const mutation = deps.decisions.observe({ row, archives: [], volumes: [], now }, observation, row.rowVersion);
      if (row.operation !== "NONE" || (mutation !== null && !isOnlyAge(row, mutation))) due.add(row.id);
    }
    return [...due];
  }
  const [containers, volumes] = await Promise.all([world.runtime.list(), world.volumes.list()]);
  // Another one may have answered the lists than the one that was asked before them.
  await requireOurEngine(term);
  const volumeOwners = new Map(volumes.map((volume) => [volume.name, volume.workspaceId]));
  const byWorkspace = Map.groupBy(containers, (container) => container.workspaceId);
  const seenAgain: Workspace[] = [];
  for (const row of rows) {
    const mine: readonly ContainerSeen[] = byWorkspace.get(row.id) ?? [];
    byWorkspace.delete(row.id);
    if (row.operation !== "NONE") continue;
    const now = term.databaseClock.now();
    const observation = fromLists(row, now, mine, volumeOwners);
    const mutation = deps.decisions.observe({ row, archives: [], volumes: [], now }, observation, row.rowVersion);
    if (mine.some((container) => deps.decisions.isLeftover(row, container))) due.add(row.id);
    else if (mutation !== null && isOnlyAge(row, mutation)) seenAgain.push(row);
    else if (mutation !== null) due.add(row.id);
  }
  // The list was made after the row was read: a look at each of thousands would only say the same.
  if (seenAgain.length > 0) await store.noteSeen(seenAgain);
  // Containers of workspaces that should have none.
  for (const id of byWorkspace.keys()) due.add(id);
  await reportStrangers(term, [...volumeOwners.keys()]);
  return [...due];
}

/** Volumes with our label that the database does not know are somebody's data: reported, never removed. */
async function reportStrangers(term: TermContext, names: readonly string[]): Promise<void> {
  const known = new Set(await term.store.listVolumeNames());
  const strangers = names.filter((name) => !known.has(name));
  if (strangers.length > 0)
    term.logger.warn({ volumes: strangers.slice(0, 20), count: strangers.length }, "volumes without a record");
}

import type { Mutation } from "#core/rows/mutation.ts";
import { type ContainerSeen, type Observation, unseen } from "#core/rows/observation.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { isOnlyAge, isSameAnswer } from "#core/rules/transitions.ts";
import type { SeenRow } from "#ports/store.ts";
import { fromLists } from "./look.ts";
import type { TermContext } from "./term.ts";
import { checkTrust, requireOurEngine } from "./trust.ts";

const ARCHIVES_PER_SWEEP = 20;
/** Rows that are judged before anything else has its turn: what renews the lease must not wait behind ten thousand of them. */
export const JUDGED_AT_ONCE = 250;
/** Rows that are written in one transaction. */
export const NOTED_AT_ONCE = 500;

/**
 * One list per backend instead of one call per workspace. Returns the ids whose row does not say what was seen; a
 * targeted look follows for those, because a list may be older than the row it is compared with.
 */
export async function sweep(term: TermContext): Promise<string[]> {
  return await sweepOver(term, await checkTrust(term));
}

/** The same, once it is known who answers, and whether the engine does. */
export async function sweepOver(term: TermContext, answers: boolean): Promise<string[]> {
  const { store, deps } = term;
  // One that was ours and is away: what is on record stays, and nothing is there to compare it with.
  if (!answers && term.trust.engine === null) throw new Error("no engine to compare with");
  const due = new Set(
    await store.listArchivesUnchecked(
      term.databaseClock.now() - deps.settings.archiveCheckIntervalMs,
      ARCHIVES_PER_SWEEP,
    ),
  );
  const rows = await store.listWithResources();
  await (term.trust.engine === null ? compare(term, rows, due) : doubtAll(term, rows, due));
  return [...due];
}

async function compare(term: TermContext, rows: readonly Workspace[], due: Set<string>): Promise<void> {
  const { world, deps } = term;
  const [containers, volumes] = await Promise.all([world.runtime.list(), world.volumes.list()]);
  // Another one may have answered the lists than the one that was asked before them.
  await requireOurEngine(term);
  const volumeOwners = new Map(volumes.map((volume) => [volume.name, volume.workspaceId]));
  const byWorkspace = Map.groupBy(containers, (container) => container.workspaceId);
  const seen: SeenRow[] = [];
  for await (const row of inTurns(term, rows)) {
    const mine: readonly ContainerSeen[] = byWorkspace.get(row.id) ?? [];
    byWorkspace.delete(row.id);
    if (row.operation !== "NONE") continue;
    const mutation = judged(term, row, fromLists(row, term.databaseClock.now(), mine, volumeOwners));
    const isLeftover = mine.some((container) => deps.decisions.isLeftover(row, container));
    // The list was made after the row was read: a look at each of thousands would only say the same.
    const note = mutation === null || isLeftover ? null : noteOf(term, row, mutation);
    if (note !== null && !isDoubtful(note)) seen.push(note);
    else if (mutation !== null || isLeftover) due.add(row.id);
  }
  await writeDown(term, seen);
  // Containers of workspaces that should have none.
  for (const id of byWorkspace.keys()) due.add(id);
  await reportStrangers(term, [...volumeOwners.keys()]);
}

/** Nothing can be seen: every row comes to say so, once. */
async function doubtAll(term: TermContext, rows: readonly Workspace[], due: Set<string>): Promise<void> {
  const blind = unseen("", term.trust.engine ?? {});
  const unseenRows: SeenRow[] = [];
  for await (const row of inTurns(term, rows)) {
    const at = term.databaseClock.now();
    const mutation = judged(term, row, { at, volume: blind, containers: blind, archive: null });
    const isAboutArchive = row.archiveKey !== null && term.trust.store !== null;
    const note = mutation === null || isAboutArchive ? null : noteOf(term, row, mutation);
    if (row.operation !== "NONE") due.add(row.id);
    else if (note !== null && note.conditions !== null) unseenRows.push(note);
    else if (note === null && mutation !== null && !isOnlyAge(row, mutation)) due.add(row.id);
  }
  await writeDown(term, unseenRows);
}

/** Not more of them at once than nobody has to wait for. */
async function* inTurns(term: TermContext, rows: readonly Workspace[]): AsyncGenerator<Workspace> {
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % JUDGED_AT_ONCE === 0) await term.deps.clock.giveWay();
    yield row;
  }
}

function judged(term: TermContext, row: Workspace, observation: Observation): Mutation | null {
  const facts = { row, archives: [], volumes: [], now: observation.at };
  return term.deps.decisions.observe(facts, observation, row.rowVersion);
}

/** What a list alone may say of a row: that all is as it says, or can be seen again, or cannot, or why. Null: more than that. */
function noteOf(term: TermContext, row: Workspace, mutation: Mutation): SeenRow | null {
  const { id, rowVersion } = row;
  if (isOnlyAge(row, mutation)) return { id, rowVersion, conditions: null };
  // Since when something is unknown is a time of the database's.
  const isSame = term.databaseClock.isKnown && isSameAnswer(row, mutation);
  return isSame ? { id, rowVersion, conditions: mutation.patch.conditions ?? null } : null;
}

const isDoubtful = ({ conditions }: SeenRow): boolean =>
  Object.values(conditions ?? {}).some(({ unknownSince }) => unknownSince !== undefined);

async function writeDown({ store, signal }: TermContext, rows: readonly SeenRow[]): Promise<void> {
  for (let at = 0; at < rows.length && !signal.aborted; at += NOTED_AT_ONCE)
    await store.noteSeen(rows.slice(at, at + NOTED_AT_ONCE));
}

/** Volumes with our label that the database does not know are somebody's data: reported, never removed. */
async function reportStrangers(term: TermContext, names: readonly string[]): Promise<void> {
  const known = new Set(await term.store.listVolumeNames());
  const strangers = names.filter((name) => !known.has(name));
  if (strangers.length > 0)
    term.logger.warn({ volumes: strangers.slice(0, 20), count: strangers.length }, "volumes without a record");
}

import type { ReapCandidate } from "#ports/store.ts";
import { isQuarantined } from "./gc.ts";
import { readBack } from "./read-back.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine } from "./trust.ts";

const PER_RUN = 50;
/** More than are removed in a run: those that must stay do not hide the ones behind them. */
const LISTED = 1_000;
/** Where disk is short, retired volumes wait only this long. */
const SHORT_GRACE_MS = 60_000;

/** Removes retired volumes after their grace: nothing references them, and what replaced them has been seen again. */
export async function reap(term: TermContext): Promise<void> {
  if (await isQuarantined(term)) return;
  const graceMs = (await diskIsShort(term)) ? SHORT_GRACE_MS : term.deps.settings.volumeGraceMs;
  const kept = new Set<string>();
  const whole = new Set<string>();
  for (const candidate of await term.store.listReapable(graceMs, LISTED)) {
    if (term.signal.aborted) return;
    // What keeps one volume of a workspace keeps its others: it is not looked into once more for each of them.
    const { workspaceId, name } = candidate.volume;
    if (kept.has(workspaceId)) continue;
    try {
      await reapOne(term, candidate, graceMs, whole);
    } catch (error) {
      kept.add(workspaceId);
      term.logger.warn({ volume: name, error: String(error) }, "volume not removed");
    }
  }
}

async function reapOne(
  term: TermContext,
  { volume, row }: ReapCandidate,
  graceMs: number,
  whole: Set<string>,
): Promise<void> {
  const { store, world, deps } = term;
  const containers = await world.runtime.inspect(volume.workspaceId);
  if (containers.some((container) => container.volume === volume.name)) return;
  const successor = row === null ? null : (row.homeVolume ?? row.archiveKey);
  if (successor !== null && !whole.has(successor)) {
    await (successor === row?.homeVolume ? requirePresent(term, successor) : requireWhole(term, successor));
    whole.add(successor);
  }
  const still = await store.mutate(volume.workspaceId, (facts) => {
    const record = facts.volumes.find((one) => one.name === volume.name);
    const may =
      record?.state === "retired" &&
      // What was looked at a moment ago must still be what the row leads to.
      (facts.row.homeVolume ?? facts.row.archiveKey) === successor &&
      deps.decisions.mayReap(volume.name, facts.row, record.retiredAt, graceMs, facts.now);
    return may ? { patch: {} } : null;
  });
  if (still === null) return;
  // Of another engine everything is gone: asked on both sides of a removal that is put on record for good.
  await requireOurEngine(term);
  // Nothing of a deleted workspace runs any more. A job whose launch came late, or that hangs, would hold its volume for ever.
  if (still.phase === "DELETED" && still.operation === "NONE") await world.jobs.end(volume.workspaceId);
  await world.volumes.remove(volume.name);
  await requireOurEngine(term);
  await store.mutate(volume.workspaceId, ({ row: after }) => ({
    patch: {},
    volumes: [{ ...volume, state: "gone" }],
    events: [
      {
        actor: "reaper",
        kind: "volume_removed",
        from: after.phase,
        to: null,
        code: "grace_over",
        details: { volume: volume.name },
      },
    ],
  }));
}

/** The home in use is looked at once more: if it went away since the last look, the volume before it may be the best copy. */
async function requirePresent(term: TermContext, volume: string): Promise<void> {
  if ((await term.world.volumes.inspect(volume)) === null)
    throw new Error(`The current volume ${volume} is not there.`);
}

/**
 * The archive that is about to be the only copy is read in full once more: what rotted since it was committed would
 * else be found when the volume is gone. Rejects when it is not whole, and the volume stays.
 */
async function requireWhole(term: TermContext, key: string): Promise<void> {
  const [known] = await term.store.readArchives([key]);
  if (known?.record == null) throw new Error(`There is no record of archive ${key}.`);
  await readBack(term, key, known.record.facts);
}

async function diskIsShort({ world, deps }: TermContext): Promise<boolean> {
  const { freeBytes, totalBytes } = await world.volumes.freeSpace();
  return freeBytes < deps.settings.minFreeBytes || freeBytes < totalBytes * deps.settings.minFreeRatio;
}

/** The time for undo of a deletion is over: written once, and never taken back. */
export async function expireDeleted(term: TermContext): Promise<void> {
  const { store, deps } = term;
  const { trashRetentionMs } = deps.settings;
  for (const id of await store.listExpirable(trashRetentionMs, PER_RUN)) {
    await store.mutate(id, (facts) => deps.decisions.expire(facts, trashRetentionMs));
  }
}

import { type Fields, failureFields } from "#core/rows/meaning.ts";
import {
  type ArchiveSeen,
  type ContainerSeen,
  type Observation,
  type Seen,
  seen,
  unseen,
} from "#core/rows/observation.ts";
import type { ArchiveRecord, Workspace } from "#core/rows/workspace.ts";
import type { ArchiveHead } from "#ports/archives.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine, requireOurStore } from "./trust.ts";

/** One targeted look at one workspace. A part that cannot be seen is unseen, and the others still count. */
export async function look(term: TermContext, row: Workspace, withArchive: boolean): Promise<Observation> {
  const [engine, archive] = await Promise.all([
    lookAtEngine(term, row),
    withArchive && row.archiveKey !== null ? lookAtArchive(term, row.archiveKey) : null,
  ]);
  return { at: term.deps.clock.nowMs(), ...engine, archive };
}

/** What an engine says counts only while it is ours: of another one everything would be gone. */
async function lookAtEngine(term: TermContext, row: Workspace): Promise<Pick<Observation, "volume" | "containers">> {
  const { runtime, volumes } = term.world;
  const { homeVolume, endpoint } = row;
  const [ours, volume, containers] = await Promise.all([
    attempt(term.trust.engine, () => requireOurEngine(term)),
    homeVolume === null
      ? seen(false)
      : attempt(term.trust.engine, async () => (await volumes.inspect(homeVolume))?.workspaceId === row.id),
    attempt(term.trust.engine, () => runtime.inspect(row.id)),
  ]);
  const missing =
    (homeVolume !== null && volume.known && !volume.value) ||
    (endpoint !== null && containers.known && !containers.value.some((one) => one.id === endpoint.containerId));
  // Asked once more where something should be there and is not: it may have been another one for a moment only.
  const still = ours.known && missing ? await attempt(null, () => requireOurEngine(term)) : ours;
  return still.known ? { volume, containers } : { volume: still, containers: still };
}

/** The same from one bulk list; the archive is never part of a sweep. */
export function fromLists(
  row: Workspace,
  at: number,
  containers: readonly ContainerSeen[],
  volumes: ReadonlyMap<string, string>,
): Observation {
  return {
    at,
    volume: seen(row.homeVolume !== null && volumes.get(row.homeVolume) === row.id),
    containers: seen(containers),
    archive: null,
  };
}

async function lookAtArchive(term: TermContext, key: string): Promise<Seen<ArchiveSeen>> {
  return await attempt(term.trust.store, async () => {
    const head = (await term.world.archives.head(key)) ?? (await lookAgain(term, key));
    const [known] = await term.store.readArchives([key]);
    return archiveSeen(key, head, known?.record ?? null);
  });
}

/** An archive is believed to be gone only of our own store, and only when that was asked for it after it said who it is. */
async function lookAgain(term: TermContext, key: string): Promise<ArchiveHead | null> {
  await requireOurStore(term);
  return await term.world.archives.head(key);
}

/** Readable: object and marker are there, and are the ones that were read back when the archive was committed. */
export function archiveSeen(key: string, head: ArchiveHead | null, record: ArchiveRecord | null): ArchiveSeen {
  const unreadable = (
    reason: "ArchiveNotFound" | "ArchiveCorrupted",
    failure: string,
    sizes: Fields = {},
  ): ArchiveSeen => ({ readable: false, reason, fields: failureFields(failure, { archive: key, ...sizes }) });
  if (head === null) return unreadable("ArchiveNotFound", "archive_missing");
  if (head.meta === null) return unreadable("ArchiveNotFound", "archive_without_marker");
  const expected = record?.facts.sizeBytes ?? head.meta.sizeBytes;
  if (head.sizeBytes !== expected) {
    return unreadable("ArchiveCorrupted", "archive_size", { found_bytes: head.sizeBytes, expected_bytes: expected });
  }
  return { readable: true };
}

async function attempt<T>(distrust: Fields | null, ask: () => Promise<T>): Promise<Seen<T>> {
  if (distrust !== null) return unseen("", distrust);
  try {
    return seen(await ask());
  } catch (error) {
    if (error instanceof OperationFailure) return unseen(error.message, error.fields);
    return unseen(error instanceof Error ? error.message : String(error));
  }
}

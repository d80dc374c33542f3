import { requireOurEngine, requireOurStore } from "#coordinator/trust.ts";
import { roomFor } from "#core/requests/home-size.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import { failureOf } from "#ports/failure.ts";
import { type Act, type AttemptContext, failed, requireDiskSpace, requireNoContainer } from "./context.ts";

/** A first, empty home. */
export const provision: Act<"home"> = async (context) => {
  await requireDiskSpace(context);
  const { world, row, attempt, step } = context;
  const volume = await step("volume", () => createVolume(context, 0));
  const identity = { workspaceId: row.id, attempt, archiveKey: null, manifestDigest: null };
  await step("seal", () => world.volumes.seal(volume, identity));
  await requireIdentity(context, volume, attempt);
  return { kind: "home", volume, from: null };
};

/** A home from its archive, into a volume that nobody else ever wrote to. */
export const restore: Act<"home"> = async (context) => {
  await requireDiskSpace(context);
  const { term, world, row, attempt, signal, progress, step } = context;
  if (row.archiveKey === null) throw failed("no_archive");
  const [known] = await term.store.readArchives([row.archiveKey]);
  if (known?.record == null) throw failureOf("ArchiveCorrupted", "no_archive_record", { archive: row.archiveKey });
  const expected = known.record.facts;
  const volume = await step("volume", () => createVolume(context, roomFor(expected)));
  const spec = { workspaceId: row.id, attempt, volume, key: row.archiveKey, expected };
  const { given } = await step("restore", () => world.jobs.restore(spec, { onProgress: progress, signal }));
  if (given > 0) {
    const what = { workspace_id: row.id, op_id: attempt, archive_key: row.archiveKey, given };
    term.deps.logger.info(
      what,
      "the home was archived under another account: every file was given to the one it has here",
    );
  }
  await requireIdentity(context, volume, attempt);
  return { kind: "home", volume, from: row.archiveKey };
};

/** The home becomes an archive. The volume stays untouched; the commit retires it. */
export const archive: Act<"archive"> = async (context) => {
  const { world, row, attempt, signal, progress, step } = context;
  if (row.homeVolume === null) throw failed("no_volume");
  await requireNoContainer(context);
  await requireIdentity(context, row.homeVolume, null);
  const key = archiveKey(row.id, attempt);
  const spec = { workspaceId: row.id, attempt, volume: row.homeVolume, key };
  const facts = await step("archive", () => world.jobs.archive(spec, { onProgress: progress, signal }));
  await requireArchive(context, key, facts.sizeBytes);
  // Once more, after the copy: a container that came meanwhile may have written what the copy does not have.
  await requireNoContainer(context);
  return { kind: "archive", volume: row.homeVolume, archive: facts };
};

/** A workspace that was never used can rest as an archive of nothing. */
export const archiveEmpty: Act<"archive"> = async (context) => {
  const { world, row, attempt, signal, progress } = context;
  const key = archiveKey(row.id, attempt);
  const facts = await world.jobs.archiveEmpty({ workspaceId: row.id, attempt, key }, { onProgress: progress, signal });
  await requireArchive(context, key, facts.sizeBytes);
  return { kind: "archive", volume: null, archive: facts };
};

/** As large as somebody asked for, and never too small for what comes into it. */
async function createVolume({ world, row, attempt }: AttemptContext, neededBytes: number): Promise<string> {
  const name = volumeName(row.id, attempt);
  const atLeastBytes = Math.max(row.homeCtx.sizeBytes ?? 0, neededBytes);
  const created = await world.volumes.create({ name, workspaceId: row.id, attempt, atLeastBytes });
  if (!created) throw failed("volume_exists", { volume: name });
  return name;
}

/** `attempt` null: any attempt of this workspace, as for a home that has been in use. */
export async function requireIdentity(context: AttemptContext, volume: string, attempt: string | null): Promise<void> {
  const { term, world, row } = context;
  await requireOurEngine(term);
  const seen = await world.volumes.inspect(volume);
  if (seen === null || seen.workspaceId !== row.id) throw failed("volume_missing", { volume });
  const identity = await world.volumes.identity(volume);
  const ours = identity?.workspaceId === row.id && (attempt === null || identity.attempt === attempt);
  if (!ours) throw failed("foreign_volume", { volume });
}

async function requireArchive({ term, world }: AttemptContext, key: string, sizeBytes: number): Promise<void> {
  await requireOurStore(term);
  const head = await world.archives.head(key);
  if (head?.meta == null || head.sizeBytes !== sizeBytes) throw failed("archive_incomplete", { archive: key });
}

import { lastStatus } from "#core/rows/condition.ts";
import type { ArchiveRecord, Ms, Workspace } from "#core/rows/workspace.ts";
import { clockTime, duration } from "./words.ts";

export interface HomeSafety {
  /**
   * archived: the home is a verified archive. volume_and_archive: a volume, and an older verified copy beside it.
   * volume_only: a volume that was never archived. empty: there is no home yet. at_risk: where the home should be,
   * it is not seen.
   */
  readonly level: "archived" | "volume_and_archive" | "volume_only" | "empty" | "at_risk";
  readonly homeIn: "volume" | "archive" | "nowhere";
  readonly summary: string;
}

/** How safe the home is: where it lives, and what could bring it back. */
export function homeSafety(row: Workspace, lastArchive: ArchiveRecord | null, now: Ms): HomeSafety {
  const copy =
    lastArchive === null
      ? "It was never archived."
      : `Its last verified archive is ${duration(now - lastArchive.verifiedAt)} old (${clockTime(lastArchive.verifiedAt, now)}).`;
  if (row.homeVolume !== null) {
    const absent = row.conditions["storage.volume_ready"]?.status === false;
    if (absent && row.conditions["storage.volume_ready"]?.reason === "VolumeMissing") {
      return { level: "at_risk", homeIn: "volume", summary: `The volume with the home was not found. ${copy}` };
    }
    const level = lastArchive === null ? "volume_only" : "volume_and_archive";
    return { level, homeIn: "volume", summary: `The home is on a volume. ${copy}` };
  }
  if (row.archiveKey !== null) {
    const unreadable = !lastStatus(row.conditions, "storage.archive_ready") && row.phase === "ERROR";
    return unreadable
      ? { level: "at_risk", homeIn: "archive", summary: `The archive with the home cannot be read. ${copy}` }
      : {
          level: "archived",
          homeIn: "archive",
          summary: `The home is in an archive that was read back and verified. ${copy}`,
        };
  }
  return {
    level: "empty",
    homeIn: "nowhere",
    summary: lastArchive === null ? "There is no home yet." : `The home is empty. ${copy}`,
  };
}

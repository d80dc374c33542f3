import { lastStatus } from "#core/rows/condition.ts";
import type { ListedColumns } from "#core/rows/workspace.ts";

export interface HomeSafety {
  /**
   * archived: the home is a verified archive. volume_and_archive: a volume, and an older verified copy beside it.
   * volume_only: a volume that was never archived. empty: there is no home yet. at_risk: where the home should be,
   * it is not seen.
   */
  readonly level: "archived" | "volume_and_archive" | "volume_only" | "empty" | "at_risk";
  readonly homeIn: "volume" | "archive" | "nowhere";
}

/** How safe the home is: where it lives, and what could bring it back. */
export function homeSafety(row: ListedColumns, lastArchive: object | null): HomeSafety {
  if (row.homeVolume !== null) {
    const volume = row.conditions["storage.volume_ready"];
    if (volume?.status === false && volume.reason === "VolumeMissing") return { level: "at_risk", homeIn: "volume" };
    return { level: lastArchive === null ? "volume_only" : "volume_and_archive", homeIn: "volume" };
  }
  if (row.archiveKey !== null) {
    const unreadable = row.phase === "ERROR" && !lastStatus(row.conditions, "storage.archive_ready");
    return { level: unreadable ? "at_risk" : "archived", homeIn: "archive" };
  }
  return { level: "empty", homeIn: "nowhere" };
}

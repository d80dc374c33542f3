import type { Workspace } from "#core/rows/workspace.ts";
import { isOver } from "#core/rules/gc.ts";
import { setupDue } from "#core/rules/setup.ts";
import type { Cluster } from "./cluster.ts";
import type { SimContainer, SimVolume } from "./world.ts";

/** As requested, or in ERROR with a reason. */
export function isSettled({ oracle }: Cluster, row: Workspace): boolean {
  if (row.operation !== "NONE") return false;
  if (row.deletedAt !== null) {
    if (isOver(row)) return row.homeVolume === null && row.archiveKey === null && row.phase === "DELETED";
    // Without a volume to copy there is no last copy: the row says so until its time is over.
    return row.homeVolume === null || oracle.isHarmed(row);
  }
  if (row.phase === "ERROR") return row.errorReason !== null && row.errorInfo !== null;
  // Whoever runs has what was asked for, or knows why not.
  if (row.phase === "RUNNING" && setupDue(row)) return false;
  // A workspace that is told to run does.
  if (row.phase === "RUNNING" && oracle.routable(row) === null) return false;
  // Bit rot in an archive shows when it is read; a volume that is gone must show by itself.
  return row.phase === row.desiredState && (row.homeVolume === null || !oracle.isHarmed(row));
}

/** Containers that are not what their row says runs. Those without a row are somebody's, of a day that was taken back. */
export function strays({ db, world }: Cluster): SimContainer[] {
  return [...world.containers.values()].filter(({ id, workspaceId }) => {
    const row = db.rows.get(workspaceId);
    return row !== undefined && row.endpoint?.containerId !== id;
  });
}

/** Claims whose removal was begun, and is on record, and that are still there. */
export function halfRemoved({ db, world }: Cluster): SimVolume[] {
  const begun = world.kubernetes?.begun ?? new Set();
  return [...world.volumes.values()].filter(({ name }) => begun.has(name) && db.volumes.has(name));
}

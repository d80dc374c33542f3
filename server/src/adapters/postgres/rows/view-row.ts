import { type Fragment, fragment } from "#adapters/postgres/statement.ts";
import type { ArchiveRecord, Ms } from "#core/rows/workspace.ts";
import type { WorkspaceView } from "#ports/views.ts";
import { toWorkspace, type WorkspaceRow, workspaceColumns } from "./workspace-row.ts";

export interface ViewRow extends WorkspaceRow {
  owner_name: string;
  stage: string | null;
  done_bytes: number;
  total_bytes: number | null;
  done_files: number;
  bytes_per_second: number | null;
  progress_at: Ms;
}

export const viewColumns: Fragment = fragment(
  `${workspaceColumns.sql}, u.username AS owner_name, ` +
    "p.stage, p.done_bytes, p.total_bytes, p.done_files, p.bytes_per_second, p.updated_at AS progress_at",
);

/** Progress of an attempt that is over is not shown: only that of the row's own one is joined. */
export const viewTables: Fragment = fragment(
  "workspaces w JOIN users u ON u.id = w.owner_id " +
    "LEFT JOIN progress p ON p.workspace_id = w.id AND p.op_id = w.op_id AND w.operation <> 'NONE'",
);

/** Deleted, and either it can still be taken out of the trash or something of it is still there. */
export const inTrash: Fragment = fragment(
  "(w.deleted_at IS NOT NULL AND (w.phase <> 'DELETED' OR (NOT w.purge AND w.expired_at IS NULL)))",
);

export function toView(row: ViewRow, lastArchive: ArchiveRecord | null): WorkspaceView {
  return { row: toWorkspace(row), ownerName: row.owner_name, progress: toProgress(row), lastArchive };
}

function toProgress(row: ViewRow): WorkspaceView["progress"] {
  if (row.stage === null) {
    return null;
  }
  const remaining = row.total_bytes === null ? null : Math.max(0, row.total_bytes - row.done_bytes);
  const rate = row.bytes_per_second;
  return {
    step: row.stage,
    doneBytes: row.done_bytes,
    totalBytes: row.total_bytes,
    doneFiles: row.done_files,
    totalFiles: null,
    bytesPerSecond: rate,
    etaSeconds: remaining !== null && rate !== null && rate > 0 ? Math.ceil(remaining / rate) : null,
    updatedAt: row.progress_at,
  };
}

import { fromIsoTime, toJson } from "#adapters/postgres/json.ts";
import { columns, type Fragment, fragment } from "#adapters/postgres/statement.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { ArchiveRecord, Ms } from "#core/rows/workspace.ts";
import type { StartWaiting } from "#ports/runtime.ts";
import type { WorkspaceView } from "#ports/views.ts";
import { toWorkspace, type WorkspaceRow, workspaceColumns } from "./workspace-row.ts";

export interface ProgressRow {
  step: string | null;
  doneBytes: number;
  totalBytes: number | null;
  doneFiles: number;
  bytesPerSecond: number | null;
  waiting: WaitingJson | null;
  progressAt: Ms;
}

type WaitingJson = Omit<StartWaiting, "since"> & { since: string };

export interface ViewRow extends WorkspaceRow, ProgressRow {
  ownerName: string;
  sampledBytes: number | null;
}

const lastSampled = (table: string): string =>
  `(SELECT s.home_bytes FROM ${table} s WHERE s.workspace_id = w.id AND s.home_bytes IS NOT NULL ORDER BY s.at DESC LIMIT 1)`;

/** What the files of a home on a volume took when they were counted last. */
export const sampledBytes: Fragment = fragment(
  `CASE WHEN w.home_volume IS NOT NULL THEN coalesce(${lastSampled("usage_minutes")}, ${lastSampled("usage_hours")}) END`,
);

const told = columns("p", ["doneBytes", "totalBytes", "doneFiles", "bytesPerSecond", "waiting"]);
export const progressColumns: Fragment = fragment(`p.stage AS "step", ${told.sql}, p.updated_at AS "progressAt"`);

export const viewColumns: Fragment = fragment(
  `${workspaceColumns.sql}, u.username AS "ownerName", ${progressColumns.sql}, ${sampledBytes.sql} AS "sampledBytes"`,
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

export function toView(view: ViewRow, lastArchive: ArchiveRecord | null): WorkspaceView {
  const { ownerName, step, doneBytes, totalBytes, doneFiles, bytesPerSecond, waiting, progressAt, ...rest } = view;
  const { sampledBytes: sampled, ...row } = rest;
  const homeBytes = lastArchive?.facts.contentBytes ?? sampled;
  return { row: toWorkspace(row), ownerName, progress: toProgress(view), lastArchive, homeBytes };
}

export function toProgress(row: ProgressRow): WorkspaceView["progress"] {
  const { step, doneBytes, totalBytes, doneFiles, bytesPerSecond, waiting, progressAt: updatedAt } = row;
  if (step === null) return null;
  const told = { doneBytes, totalBytes, doneFiles, totalFiles: null, bytesPerSecond, updatedAt };
  return { step, ...told, waiting: waiting === null ? null : toWaiting(waiting), etaSeconds: secondsLeft(row) };
}

const toWaiting = (json: WaitingJson): StartWaiting => ({ ...json, since: fromIsoTime(json.since) });

export const fromWaiting = (waiting: StartWaiting): string =>
  toJson({ ...waiting, since: isoTime(waiting.since) } satisfies WaitingJson);

function secondsLeft({ doneBytes, totalBytes, bytesPerSecond: rate }: ProgressRow): number | null {
  if (totalBytes === null || rate === null || rate <= 0) return null;
  return Math.ceil(Math.max(0, totalBytes - doneBytes) / rate);
}

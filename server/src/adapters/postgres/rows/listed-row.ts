import { columns, type Fragment, fragment } from "#adapters/postgres/statement.ts";
import type { ListedColumns, Ms } from "#core/rows/workspace.ts";
import type { WorkspaceSummaryView } from "#ports/views.ts";
import { type ProgressRow, progressColumns, sampledBytes, toProgress, viewJoins } from "./view-row.ts";
import { toConditions, toErrorInfo, toHomeContext, toRequest, type WorkspaceRow } from "./workspace-row.ts";

const FIELDS: readonly (keyof ListedColumns)[] = [
  ...(["id", "createdAt", "name", "description", "imageRef", "desiredState", "desiredVersion", "deletedAt"] as const),
  ...(["purge", "request", "requestDone", "standbyTtlSeconds", "archiveTtlSeconds", "keepAwakeUntil"] as const),
  ...(["lastAccessAt", "conditions", "phase", "phaseChangedAt", "operation", "opStartedAt", "expiredAt"] as const),
  ...(["homeVolume", "archiveKey", "homeCtx", "errorReason", "errorInfo", "nextAttemptAt", "rowVersion"] as const),
  ...(["source", "setupWanted", "setupSkipped", "keysAllowed"] as const),
];

/** A row as lists read it, with what is told of its newest archive. */
export interface ListedRow extends Pick<WorkspaceRow, keyof ListedColumns>, ProgressRow {
  homeBytes: number | null;
  archivedAt: Ms | null;
}

/** Of the newest archive; before there is one, as counted where it is. */
const homeBytes = `CASE WHEN a.verified_at IS NULL THEN ${sampledBytes.sql} ELSE a.content_bytes END`;

export const listedColumns: Fragment = fragment(
  `${columns("w", FIELDS).sql}, ${progressColumns.sql}, ` +
    `${homeBytes} AS "homeBytes", a.verified_at AS "archivedAt"`,
);

/** With the newest archive of each that nothing has given up. */
export const listedJoins: Fragment = fragment(
  `${viewJoins.sql} LEFT JOIN LATERAL (SELECT content_bytes, verified_at FROM archives ` +
    "WHERE workspace_id = w.id AND state <> 'orphan' ORDER BY created_at DESC LIMIT 1) a ON true",
);
export const listedTables: Fragment = fragment(`workspaces w ${listedJoins.sql}`);

/**
 * Everything that a summary is made from, in short. The row counts its changes; `xmin` is another also where a backup was put
 * in its place or a second look at progress came within the same millisecond; of the archive it is what is told of it.
 */
export const summaryStamp: Fragment = fragment(
  `concat(w.row_version, ' ', w.xmin, ' ', p.xmin, ' ', a.verified_at, ' ', ${homeBytes}) AS stamp`,
);

export const toSummaryView = (row: ListedRow): WorkspaceSummaryView => ({
  row: toListed(row),
  progress: toProgress(row),
  lastArchive: row.archivedAt === null ? null : { verifiedAt: row.archivedAt },
  homeBytes: row.homeBytes,
});

const toListed = (row: ListedRow): ListedColumns => ({
  ...row,
  request: row.request === null ? null : toRequest(row.request),
  conditions: toConditions(row.conditions),
  homeCtx: toHomeContext(row.homeCtx),
  errorInfo: row.errorInfo === null ? null : toErrorInfo(row.errorInfo),
});

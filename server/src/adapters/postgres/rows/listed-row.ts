import { columns, type Fragment, fragment } from "#adapters/postgres/statement.ts";
import type { ListedColumns, Ms } from "#core/rows/workspace.ts";
import type { WorkspaceSummaryView } from "#ports/views.ts";
import { type ProgressRow, progressColumns, sampledBytes, toProgress, viewTables } from "./view-row.ts";
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

/** Of each workspace, what its newest archive says that nothing has given up. */
const newestArchive = (told: string): string =>
  `SELECT ${told} FROM archives WHERE workspace_id = w.id AND state <> 'orphan' ORDER BY created_at DESC LIMIT 1`;

export const listedTables: Fragment = fragment(
  `${viewTables.sql} LEFT JOIN LATERAL (${newestArchive("content_bytes, verified_at")}) a ON true`,
);

/**
 * Everything that a summary is made from, in short. The row counts its changes; `xmin` is another also where a backup was put
 * in its place or a second look at progress came within the same millisecond; of the archive it is what is told of it. What is
 * counted of a home changes while it runs, and is looked up anew every five minutes. The archive is asked for by a value of its
 * own, not a join: PostgreSQL then does that for the rows of a page, and not for all that it sorts.
 */
export const summaryStamp: Fragment = fragment(
  `concat(w.row_version, ' ', w.xmin, ' ', p.xmin, ' ', (${newestArchive("concat(verified_at, ' ', content_bytes)")}), ' ', ` +
    "CASE WHEN w.phase = 'RUNNING' THEN extract(epoch FROM now())::bigint / 300 END) AS stamp",
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

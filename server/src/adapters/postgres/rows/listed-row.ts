import { columns, type Fragment, fragment } from "#adapters/postgres/statement.ts";
import type { Conditions } from "#core/rows/condition.ts";
import type { HomeContext, ListedColumns, Ms } from "#core/rows/workspace.ts";
import type { WorkspaceSummaryView } from "#ports/views.ts";
import { type ProgressRow, progressColumns, toProgress, viewTables } from "./view-row.ts";
import { toConditions, toErrorInfo, toHomeContext, toRequest, type WorkspaceRow } from "./workspace-row.ts";

const FIELDS = [
  ...(["id", "createdAt", "name", "description", "imageRef", "deletedAt", "request", "standbyTtlSeconds"] as const),
  ...(["archiveTtlSeconds", "keepAwakeUntil", "lastAccessAt", "phase", "opStartedAt", "expiredAt"] as const),
  ...(["homeVolume", "archiveKey", "errorReason", "errorInfo", "nextAttemptAt", "rowVersion"] as const),
] as const satisfies readonly (keyof WorkspaceRow)[];

/**
 * Every value costs both sides of the connection, and a list has thousands: of a row that rests without a volume, which
 * most do, nothing is sent that no rule asks for. One that did would be told so, and a test tries every kind of row.
 */
const AT_REST =
  "w.settled AND w.phase IN ('ARCHIVED', 'PENDING') AND w.deleted_at IS NULL AND w.home_volume IS NULL " +
  "AND w.request IS NULL AND w.error_reason IS NULL AND w.next_attempt_at IS NULL";
const unlessAtRest = (column: string, name: string): string =>
  `CASE WHEN ${AT_REST} THEN NULL ELSE w.${column} END AS "${name}"`;

/** A row as lists read it. What is null here and never in the table is as usual: as the phase is, NONE, or false. */
export interface ListedRow extends Pick<WorkspaceRow, (typeof FIELDS)[number]>, ProgressRow {
  desiredState: WorkspaceRow["desiredState"] | null;
  operation: WorkspaceRow["operation"] | null;
  purge: boolean | null;
  desiredVersion: number | null;
  requestDone: number | null;
  phaseChangedAt: Ms | null;
  conditions: string | null;
  homeCtx: string | null;
  archivedBytes: number | null;
  archivedAt: Ms | null;
}

export const listedColumns: Fragment = fragment(
  [
    columns("w", FIELDS).sql,
    'NULLIF(w.desired_state, w.phase) AS "desiredState"',
    "NULLIF(w.operation, 'NONE') AS operation",
    "NULLIF(w.purge, false) AS purge",
    unlessAtRest("desired_version", "desiredVersion"),
    unlessAtRest("request_done", "requestDone"),
    unlessAtRest("phase_changed_at", "phaseChangedAt"),
    unlessAtRest("conditions::text", "conditions"),
    unlessAtRest("home_ctx::text", "homeCtx"),
    progressColumns.sql,
    'a.content_bytes AS "archivedBytes", a.verified_at AS "archivedAt"',
  ].join(", "),
);

/** With the newest archive of each that nothing has given up. */
export const listedTables: Fragment = fragment(
  `${viewTables.sql} LEFT JOIN LATERAL (SELECT content_bytes, verified_at FROM archives ` +
    "WHERE workspace_id = w.id AND state <> 'orphan' ORDER BY created_at DESC LIMIT 1) a ON true",
);

/**
 * Everything that a summary is made from, in short. The row counts its changes; `xmin` is another also where a backup was put
 * in its place or a second look at progress came within the same millisecond; of the archive it is what is told of it.
 */
export const summaryStamp: Fragment = fragment(
  "concat(w.row_version, ' ', w.xmin, ' ', p.xmin, ' ', a.verified_at, ' ', a.content_bytes) AS stamp",
);

export const toSummaryView = (row: ListedRow): WorkspaceSummaryView => ({
  row: new ListedWorkspace(row),
  progress: toProgress(row),
  lastArchive: row.archivedAt === null ? null : { verifiedAt: row.archivedAt, contentBytes: row.archivedBytes ?? 0 },
});

function sent<T>(value: T | null, column: string): T {
  if (value === null) throw new TypeError(`${column} is not read for the list where a workspace is at rest.`);
  return value;
}

/** JSON is taken apart only where a rule asks for it. */
class ListedWorkspace implements ListedColumns {
  readonly id: ListedColumns["id"];
  readonly createdAt: Ms;
  readonly rowVersion: number;
  readonly name: string;
  readonly description: string | null;
  readonly imageRef: string;
  readonly desiredState: ListedColumns["desiredState"];
  readonly deletedAt: Ms | null;
  readonly purge: boolean;
  readonly request: ListedColumns["request"];
  readonly standbyTtlSeconds: number | null;
  readonly archiveTtlSeconds: number | null;
  readonly keepAwakeUntil: Ms | null;
  readonly lastAccessAt: Ms;
  readonly phase: ListedColumns["phase"];
  readonly operation: ListedColumns["operation"];
  readonly opStartedAt: Ms | null;
  readonly expiredAt: Ms | null;
  readonly homeVolume: string | null;
  readonly archiveKey: string | null;
  readonly errorReason: ListedColumns["errorReason"];
  readonly errorInfo: ListedColumns["errorInfo"];
  readonly nextAttemptAt: Ms | null;
  readonly #row: ListedRow;
  #conditions: Conditions | undefined;

  constructor(row: ListedRow) {
    this.id = row.id;
    this.createdAt = row.createdAt;
    this.rowVersion = row.rowVersion;
    this.name = row.name;
    this.description = row.description;
    this.imageRef = row.imageRef;
    this.phase = row.phase;
    // Only a phase that is also a level can be requested, so that equal ones are of both kinds.
    this.desiredState = row.desiredState ?? (row.phase as ListedColumns["desiredState"]);
    this.deletedAt = row.deletedAt;
    this.purge = row.purge ?? false;
    this.request = row.request === null ? null : toRequest(row.request);
    this.standbyTtlSeconds = row.standbyTtlSeconds;
    this.archiveTtlSeconds = row.archiveTtlSeconds;
    this.keepAwakeUntil = row.keepAwakeUntil;
    this.lastAccessAt = row.lastAccessAt;
    this.operation = row.operation ?? "NONE";
    this.opStartedAt = row.opStartedAt;
    this.expiredAt = row.expiredAt;
    this.homeVolume = row.homeVolume;
    this.archiveKey = row.archiveKey;
    this.errorReason = row.errorReason;
    this.errorInfo = row.errorInfo === null ? null : toErrorInfo(row.errorInfo);
    this.nextAttemptAt = row.nextAttemptAt;
    this.#row = row;
  }

  get desiredVersion(): number {
    return sent(this.#row.desiredVersion, "desired_version");
  }

  get requestDone(): number {
    return sent(this.#row.requestDone, "request_done");
  }

  get phaseChangedAt(): Ms {
    return sent(this.#row.phaseChangedAt, "phase_changed_at");
  }

  get conditions(): Conditions {
    this.#conditions ??= toConditions(JSON.parse(sent(this.#row.conditions, "conditions")));
    return this.#conditions;
  }

  get homeCtx(): HomeContext {
    return toHomeContext(JSON.parse(sent(this.#row.homeCtx, "home_ctx")));
  }
}

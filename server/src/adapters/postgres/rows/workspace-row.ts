import { fromIsoTime, toDate, toJson } from "#adapters/postgres/json.ts";
import { columns, type Fragment } from "#adapters/postgres/statement.ts";
import type { Condition, Conditions } from "#core/rows/condition.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type { HomeSetup } from "#core/rows/setup.ts";
import type {
  Address,
  Endpoint,
  HomeContext,
  HomeDisk,
  Operation,
  Phase,
  RequestAction,
  RequestColumns,
  VerdictColumns,
  Workspace,
  WorkspaceRequest,
} from "#core/rows/workspace.ts";
import type { ErrorInfo, ErrorReason } from "#core/rules/errors.ts";

/** The row as PostgreSQL gives it; times are milliseconds already (connection.ts), except inside JSON. */
export type WorkspaceRow = Omit<Workspace, "request" | "conditions" | "endpoint" | "homeCtx" | "errorInfo"> & {
  request: RequestJson | null;
  conditions: Record<string, ConditionJson>;
  endpoint: EndpointJson | null;
  homeCtx: HomeContextJson;
  errorInfo: ErrorInfoJson | null;
};

type ConditionJson = {
  status: boolean;
  reason: string;
  fields?: Fields;
  message: string;
  last_transition_time: string;
  unknown_since?: string;
  checked_at?: string;
  missing_since?: string;
};
type EndpointJson = { container_id: string; attempt: string; address: Address };
type RequestJson = {
  version: number;
  action: { kind: RequestAction["kind"]; op_id?: string; container?: string; node?: string; bytes?: number };
};
type HomeContextJson = Partial<{
  restore_marker: string | null;
  started_image: string | null;
  failed_wish: number | null;
  exits: string[];
  ended: { code: string; fields?: Fields; message: string; at: string } | null;
  size_bytes: number | null;
  disk: HomeDiskJson | null;
  setup: HomeSetupJson | null;
}>;
type HomeSetupJson = Omit<HomeSetup, "at" | "tookMs"> & { at: string; took_ms: number };
type HomeDiskJson = { volume: string; used_bytes: number; total_bytes: number; shared: boolean; at: string };
type ErrorInfoJson = {
  reason: ErrorReason;
  fields?: Fields;
  message: string;
  operation: Operation;
  is_terminal: boolean;
  attempts: number;
  elapsed_ms?: number | null;
  previous_phase: Phase;
  occurred_at: string;
};

const FIELDS: readonly (keyof Workspace)[] = [
  ...(["id", "ownerId", "createdAt", "name", "description", "memo", "imageRef", "desiredState"] as const),
  ...(["desiredVersion", "deletedAt", "purge", "request", "standbyTtlSeconds", "archiveTtlSeconds"] as const),
  ...(["keepAwakeUntil", "lastAccessAt", "conditions", "phase", "phaseChangedAt", "observedAt"] as const),
  ...(["operation", "opStartedAt", "opId", "opEpoch", "requestDone", "expiredAt", "homeVolume"] as const),
  ...(["archiveKey", "archiveOpId", "endpoint", "homeCtx", "errorReason", "errorCount", "errorInfo"] as const),
  ...(["reconcileFailureCount", "nextAttemptAt", "rowVersion", "updatedAt"] as const),
  ...(["source", "setupWanted", "setupSkipped", "keysAllowed", "awakeAskedFrom", "awakeAskedSeconds"] as const),
  "address",
];

/** The columns of the table that the statement calls `w`. */
export const workspaceColumns: Fragment = columns("w", FIELDS);

export function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    ...row,
    request: row.request === null ? null : toRequest(row.request),
    conditions: toConditions(row.conditions),
    endpoint: row.endpoint === null ? null : toEndpoint(row.endpoint),
    homeCtx: toHomeContext(row.homeCtx),
    errorInfo: row.errorInfo === null ? null : toErrorInfo(row.errorInfo),
  };
}

/** Parameters of the statement that writes every column that requests may write. */
export type RequestParams = ReturnType<typeof requestParams>;

export function requestParams(columns: RequestColumns) {
  return {
    ...columns,
    deletedAt: toDate(columns.deletedAt),
    request: columns.request === null ? null : toJson(fromRequest(columns.request)),
    keepAwakeUntil: toDate(columns.keepAwakeUntil),
    awakeAskedFrom: toDate(columns.awakeAskedFrom),
    lastAccessAt: new Date(columns.lastAccessAt),
    source: columns.source === null ? null : toJson(columns.source),
  };
}

/** Parameters of the statement that writes every column of the coordinator. */
export type VerdictParams = ReturnType<typeof verdictParams>;

export function verdictParams(verdict: VerdictColumns) {
  return {
    ...verdict,
    conditions: toJson(fromConditions(verdict.conditions)),
    phaseChangedAt: new Date(verdict.phaseChangedAt),
    observedAt: toDate(verdict.observedAt),
    opStartedAt: toDate(verdict.opStartedAt),
    expiredAt: toDate(verdict.expiredAt),
    endpoint: verdict.endpoint === null ? null : toJson(fromEndpoint(verdict.endpoint)),
    homeCtx: toJson(fromHomeContext(verdict.homeCtx)),
    errorInfo: verdict.errorInfo === null ? null : toJson(fromErrorInfo(verdict.errorInfo)),
    nextAttemptAt: toDate(verdict.nextAttemptAt),
  };
}

export const toConditions = (stored: Record<string, ConditionJson>): Conditions =>
  Object.fromEntries(Object.entries(stored).map(([key, value]) => [key, toCondition(value)]));

function toCondition(stored: ConditionJson): Condition {
  const condition: { -readonly [K in keyof Condition]: Condition[K] } = {
    status: stored.status,
    reason: stored.reason,
    message: stored.message,
    lastTransitionTime: fromIsoTime(stored.last_transition_time),
  };
  // Rows are read by the hundred: this is a fraction of what putting the object together from parts costs.
  if (stored.fields !== undefined) condition.fields = stored.fields;
  if (stored.unknown_since !== undefined) condition.unknownSince = fromIsoTime(stored.unknown_since);
  if (stored.checked_at !== undefined) condition.checkedAt = fromIsoTime(stored.checked_at);
  if (stored.missing_since !== undefined) condition.missingSince = fromIsoTime(stored.missing_since);
  return condition;
}

export function fromConditions(conditions: Conditions): Record<string, ConditionJson> {
  return Object.fromEntries(
    Object.entries(conditions).map(([key, value]): [string, ConditionJson] => [
      key,
      {
        status: value.status,
        reason: value.reason,
        ...(value.fields === undefined ? {} : { fields: value.fields }),
        message: value.message,
        last_transition_time: isoTime(value.lastTransitionTime),
        ...(value.unknownSince === undefined ? {} : { unknown_since: isoTime(value.unknownSince) }),
        ...(value.checkedAt === undefined ? {} : { checked_at: isoTime(value.checkedAt) }),
        ...(value.missingSince === undefined ? {} : { missing_since: isoTime(value.missingSince) }),
      },
    ]),
  );
}

const toEndpoint = (stored: EndpointJson): Endpoint => ({
  containerId: stored.container_id,
  attempt: stored.attempt,
  address: stored.address,
});

const fromEndpoint = (endpoint: Endpoint): EndpointJson => ({
  container_id: endpoint.containerId,
  attempt: endpoint.attempt,
  address: endpoint.address,
});

export function toRequest({ version, action }: RequestJson): WorkspaceRequest {
  const { op_id: opId, ...rest } = action;
  return { version, action: (opId === undefined ? rest : { ...rest, opId }) as RequestAction };
}

function fromRequest({ version, action }: WorkspaceRequest): RequestJson {
  if (!("opId" in action)) return { version, action };
  const { opId, ...rest } = action;
  return { version, action: { ...rest, op_id: opId } };
}

export const toHomeContext = (stored: HomeContextJson): HomeContext => ({
  restoreMarker: stored.restore_marker ?? null,
  startedImage: stored.started_image ?? null,
  failedRequest: stored.failed_wish ?? null,
  exits: (stored.exits ?? []).map(fromIsoTime),
  ended: stored.ended == null ? null : { ...stored.ended, at: fromIsoTime(stored.ended.at) },
  sizeBytes: stored.size_bytes ?? null,
  disk: stored.disk == null ? null : toDisk(stored.disk),
  setup: stored.setup == null ? null : toSetup(stored.setup),
});

const fromHomeContext = (context: HomeContext): HomeContextJson => ({
  restore_marker: context.restoreMarker,
  started_image: context.startedImage,
  failed_wish: context.failedRequest,
  exits: context.exits.map(isoTime),
  ...(context.ended === null ? {} : { ended: { ...context.ended, at: isoTime(context.ended.at) } }),
  size_bytes: context.sizeBytes,
  ...(context.disk === null ? {} : { disk: fromDisk(context.disk) }),
  ...(context.setup === null ? {} : { setup: fromSetup(context.setup) }),
});

const toSetup = ({ at, took_ms, ...setup }: HomeSetupJson): HomeSetup => ({
  ...setup,
  at: fromIsoTime(at),
  tookMs: took_ms,
});

const fromSetup = ({ at, tookMs, ...setup }: HomeSetup): HomeSetupJson => ({
  ...setup,
  at: isoTime(at),
  took_ms: tookMs,
});

const toDisk = ({ volume, used_bytes, total_bytes, shared, at }: HomeDiskJson): HomeDisk => ({
  volume,
  usedBytes: used_bytes,
  totalBytes: total_bytes,
  shared,
  at: fromIsoTime(at),
});

const fromDisk = ({ volume, usedBytes, totalBytes, shared, at }: HomeDisk): HomeDiskJson => ({
  volume,
  used_bytes: usedBytes,
  total_bytes: totalBytes,
  shared,
  at: isoTime(at),
});

export const toErrorInfo = (stored: ErrorInfoJson): ErrorInfo => ({
  reason: stored.reason,
  ...(stored.fields === undefined ? {} : { fields: stored.fields }),
  message: stored.message,
  operation: stored.operation,
  isTerminal: stored.is_terminal,
  attempts: stored.attempts,
  elapsedMs: stored.elapsed_ms ?? null,
  previousPhase: stored.previous_phase,
  occurredAt: fromIsoTime(stored.occurred_at),
});

const fromErrorInfo = (info: ErrorInfo): ErrorInfoJson => ({
  reason: info.reason,
  ...(info.fields === undefined ? {} : { fields: info.fields }),
  message: info.message,
  operation: info.operation,
  is_terminal: info.isTerminal,
  attempts: info.attempts,
  elapsed_ms: info.elapsedMs,
  previous_phase: info.previousPhase,
  occurred_at: isoTime(info.occurredAt),
});

import { fromIsoTime, isoTime, toDate, toJson } from "#adapters/postgres/json.ts";
import { type Fragment, fragment } from "#adapters/postgres/statement.ts";
import type { Condition, Conditions } from "#core/rows/condition.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type {
  Address,
  DesiredState,
  Endpoint,
  HomeContext,
  Ms,
  Operation,
  Phase,
  RequestAction,
  RequestColumns,
  VerdictColumns,
  Workspace,
  WorkspaceRequest,
} from "#core/rows/workspace.ts";
import type { ErrorInfo, ErrorReason } from "#core/rules/errors.ts";

/** The row as PostgreSQL gives it; times are milliseconds already (connection.ts). */
export interface WorkspaceRow {
  id: string;
  owner_id: string;
  created_at: Ms;
  name: string;
  description: string | null;
  memo: string | null;
  image_ref: string;
  desired_state: DesiredState;
  desired_version: number;
  deleted_at: Ms | null;
  purge: boolean;
  request: RequestJson | null;
  standby_ttl_seconds: number | null;
  archive_ttl_seconds: number | null;
  keep_awake_until: Ms | null;
  last_access_at: Ms;
  conditions: Record<string, ConditionJson>;
  phase: Phase;
  phase_changed_at: Ms;
  observed_at: Ms | null;
  operation: Operation;
  op_started_at: Ms | null;
  op_id: string | null;
  op_epoch: number | null;
  request_done: number;
  expired_at: Ms | null;
  home_volume: string | null;
  archive_key: string | null;
  archive_op_id: string | null;
  endpoint: EndpointJson | null;
  home_ctx: HomeContextJson;
  error_reason: ErrorReason | null;
  error_count: number;
  error_info: ErrorInfoJson | null;
  reconcile_failure_count: number;
  next_attempt_at: Ms | null;
  row_version: number;
  updated_at: Ms;
}

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
type RequestJson = { version: number; action: { kind: RequestAction["kind"]; op_id?: string } };
type HomeContextJson = Partial<{
  restore_marker: string | null;
  started_image: string | null;
  failed_wish: number | null;
  exits: string[];
}>;
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

const COLUMNS: readonly (keyof WorkspaceRow)[] = [
  ...(["id", "owner_id", "created_at", "name", "description", "memo", "image_ref", "desired_state"] as const),
  ...(["desired_version", "deleted_at", "purge", "request", "standby_ttl_seconds", "archive_ttl_seconds"] as const),
  ...(["keep_awake_until", "last_access_at", "conditions", "phase", "phase_changed_at", "observed_at"] as const),
  ...(["operation", "op_started_at", "op_id", "op_epoch", "request_done", "expired_at", "home_volume"] as const),
  ...(["archive_key", "archive_op_id", "endpoint", "home_ctx", "error_reason", "error_count", "error_info"] as const),
  ...(["reconcile_failure_count", "next_attempt_at", "row_version", "updated_at"] as const),
];

/** The columns of the table that the statement calls `w`. */
export const workspaceColumns: Fragment = fragment(COLUMNS.map((column) => `w.${column}`).join(", "));

export function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    ownerId: row.owner_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    rowVersion: row.row_version,
    ...toRequested(row),
    ...toVerdict(row),
  };
}

function toRequested(row: WorkspaceRow): RequestColumns {
  return {
    name: row.name,
    description: row.description,
    memo: row.memo,
    imageRef: row.image_ref,
    desiredState: row.desired_state,
    desiredVersion: row.desired_version,
    deletedAt: row.deleted_at,
    purge: row.purge,
    request: row.request === null ? null : toRequest(row.request),
    standbyTtlSeconds: row.standby_ttl_seconds,
    archiveTtlSeconds: row.archive_ttl_seconds,
    keepAwakeUntil: row.keep_awake_until,
    lastAccessAt: row.last_access_at,
  };
}

function toVerdict(row: WorkspaceRow): VerdictColumns {
  return {
    conditions: toConditions(row.conditions),
    phase: row.phase,
    phaseChangedAt: row.phase_changed_at,
    observedAt: row.observed_at,
    operation: row.operation,
    opStartedAt: row.op_started_at,
    opId: row.op_id,
    opEpoch: row.op_epoch,
    requestDone: row.request_done,
    expiredAt: row.expired_at,
    homeVolume: row.home_volume,
    archiveKey: row.archive_key,
    archiveOpId: row.archive_op_id,
    endpoint: row.endpoint === null ? null : toEndpoint(row.endpoint),
    homeCtx: toHomeContext(row.home_ctx),
    errorReason: row.error_reason,
    errorCount: row.error_count,
    errorInfo: row.error_info === null ? null : toErrorInfo(row.error_info),
    reconcileFailureCount: row.reconcile_failure_count,
    nextAttemptAt: row.next_attempt_at,
  };
}

/** Parameters of the statement that writes every column that requests may write. */
export type RequestParams = {
  name: string;
  description: string | null;
  memo: string | null;
  imageRef: string;
  desiredState: string;
  desiredVersion: number;
  deletedAt: Date | null;
  purge: boolean;
  request: string | null;
  standbyTtlSeconds: number | null;
  archiveTtlSeconds: number | null;
  keepAwakeUntil: Date | null;
  lastAccessAt: Date;
};

export function requestParams(columns: RequestColumns): RequestParams {
  return {
    name: columns.name,
    description: columns.description,
    memo: columns.memo,
    imageRef: columns.imageRef,
    desiredState: columns.desiredState,
    desiredVersion: columns.desiredVersion,
    deletedAt: toDate(columns.deletedAt),
    purge: columns.purge,
    request: columns.request === null ? null : toJson(fromRequest(columns.request)),
    standbyTtlSeconds: columns.standbyTtlSeconds,
    archiveTtlSeconds: columns.archiveTtlSeconds,
    keepAwakeUntil: toDate(columns.keepAwakeUntil),
    lastAccessAt: new Date(columns.lastAccessAt),
  };
}

/** Parameters of the statement that writes every column of the coordinator. */
export type VerdictParams = {
  conditions: string;
  phase: string;
  phaseChangedAt: Date;
  observedAt: Date | null;
  operation: string;
  opStartedAt: Date | null;
  opId: string | null;
  opEpoch: number | null;
  requestDone: number;
  expiredAt: Date | null;
  homeVolume: string | null;
  archiveKey: string | null;
  archiveOpId: string | null;
  endpoint: string | null;
  homeCtx: string;
  errorReason: string | null;
  errorCount: number;
  errorInfo: string | null;
  reconcileFailureCount: number;
  nextAttemptAt: Date | null;
};

export function verdictParams(verdict: VerdictColumns): VerdictParams {
  return {
    conditions: toJson(fromConditions(verdict.conditions)),
    phase: verdict.phase,
    phaseChangedAt: new Date(verdict.phaseChangedAt),
    observedAt: toDate(verdict.observedAt),
    operation: verdict.operation,
    opStartedAt: toDate(verdict.opStartedAt),
    opId: verdict.opId,
    opEpoch: verdict.opEpoch,
    requestDone: verdict.requestDone,
    expiredAt: toDate(verdict.expiredAt),
    homeVolume: verdict.homeVolume,
    archiveKey: verdict.archiveKey,
    archiveOpId: verdict.archiveOpId,
    endpoint: verdict.endpoint === null ? null : toJson(fromEndpoint(verdict.endpoint)),
    homeCtx: toJson(fromHomeContext(verdict.homeCtx)),
    errorReason: verdict.errorReason,
    errorCount: verdict.errorCount,
    errorInfo: verdict.errorInfo === null ? null : toJson(fromErrorInfo(verdict.errorInfo)),
    reconcileFailureCount: verdict.reconcileFailureCount,
    nextAttemptAt: toDate(verdict.nextAttemptAt),
  };
}

function toConditions(stored: Record<string, ConditionJson>): Conditions {
  return Object.fromEntries(
    Object.entries(stored).map(([key, value]): [string, Condition] => [
      key,
      {
        status: value.status,
        reason: value.reason,
        ...(value.fields === undefined ? {} : { fields: value.fields }),
        message: value.message,
        lastTransitionTime: fromIsoTime(value.last_transition_time),
        ...(value.unknown_since === undefined ? {} : { unknownSince: fromIsoTime(value.unknown_since) }),
        ...(value.checked_at === undefined ? {} : { checkedAt: fromIsoTime(value.checked_at) }),
        ...(value.missing_since === undefined ? {} : { missingSince: fromIsoTime(value.missing_since) }),
      },
    ]),
  );
}

function fromConditions(conditions: Conditions): Record<string, ConditionJson> {
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

function toRequest(stored: RequestJson): WorkspaceRequest {
  const { kind, op_id: opId } = stored.action;
  const action = opId === undefined ? { kind } : { kind, opId };
  return { version: stored.version, action: action as RequestAction };
}

function fromRequest({ version, action }: WorkspaceRequest): RequestJson {
  return { version, action: "opId" in action ? { kind: action.kind, op_id: action.opId } : { kind: action.kind } };
}

const toHomeContext = (stored: HomeContextJson): HomeContext => ({
  restoreMarker: stored.restore_marker ?? null,
  startedImage: stored.started_image ?? null,
  failedRequest: stored.failed_wish ?? null,
  exits: (stored.exits ?? []).map(fromIsoTime),
});

const fromHomeContext = (context: HomeContext): HomeContextJson => ({
  restore_marker: context.restoreMarker,
  started_image: context.startedImage,
  failed_wish: context.failedRequest,
  exits: context.exits.map(isoTime),
});

const toErrorInfo = (stored: ErrorInfoJson): ErrorInfo => ({
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

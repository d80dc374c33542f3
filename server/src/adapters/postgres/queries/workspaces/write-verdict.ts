import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type VerdictParams, type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Every column of the coordinator. The row was locked and read in the same transaction, so nothing is lost. */
export const writeVerdict = statement<VerdictParams & { id: string }, WorkspaceRow>("write-verdict", COORDINATOR_ROLE)`
UPDATE workspaces AS w SET
  conditions = ${"conditions"}, phase = ${"phase"}, phase_changed_at = ${"phaseChangedAt"}, observed_at = ${"observedAt"},
  operation = ${"operation"}, op_started_at = ${"opStartedAt"}, op_id = ${"opId"}, op_epoch = ${"opEpoch"},
  request_done = ${"requestDone"}, expired_at = ${"expiredAt"}, home_volume = ${"homeVolume"}, archive_key = ${"archiveKey"},
  archive_op_id = ${"archiveOpId"}, endpoint = ${"endpoint"}, home_ctx = ${"homeCtx"}, error_reason = ${"errorReason"},
  error_count = ${"errorCount"}, error_info = ${"errorInfo"}, reconcile_failure_count = ${"reconcileFailureCount"},
  next_attempt_at = ${"nextAttemptAt"}
WHERE w.id = ${"id"}
RETURNING ${workspaceColumns}
`;

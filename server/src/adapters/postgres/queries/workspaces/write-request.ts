import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type RequestParams, type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Every column that requests may write. The row was locked and read in the same transaction. */
export const writeRequest = statement<RequestParams & { id: string }, WorkspaceRow>("write-request", API_ROLE)`
UPDATE workspaces AS w SET
  name = ${"name"}, description = ${"description"}, memo = ${"memo"}, image_ref = ${"imageRef"}, desired_state = ${"desiredState"},
  desired_version = ${"desiredVersion"}, deleted_at = ${"deletedAt"}, purge = ${"purge"}, request = ${"request"},
  standby_ttl_seconds = ${"standbyTtlSeconds"}, archive_ttl_seconds = ${"archiveTtlSeconds"},
  keep_awake_until = ${"keepAwakeUntil"}, awake_asked_from = ${"awakeAskedFrom"},
  awake_asked_seconds = ${"awakeAskedSeconds"}, last_access_at = ${"lastAccessAt"}, source = ${"source"},
  setup_wanted = ${"setupWanted"}, setup_skipped = ${"setupSkipped"}, keys_allowed = ${"keysAllowed"},
  address = ${"address"}
WHERE w.id = ${"id"}
RETURNING ${workspaceColumns}
`;

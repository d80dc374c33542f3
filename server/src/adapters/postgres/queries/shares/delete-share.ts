import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Tells also whether it was still open. */
export const deleteShare = statement<{ workspaceId: string; port: number }, { open: boolean }>(
  "delete-share",
  API_ROLE,
)`
DELETE FROM port_shares WHERE workspace_id = ${"workspaceId"} AND port = ${"port"}
RETURNING expires_at IS NULL OR expires_at > clock_timestamp() AS open
`;

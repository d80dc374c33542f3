import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** The session of a workspace's cookie, if it, the dashboard's and the user are alive and no new password is due. */
export const findWorkspaceSession = statement<
  { tokenHash: Uint8Array },
  { id: string; user_id: string; workspace_id: string; port: number | null; expires_at: Ms }
>("find-workspace-session", API_ROLE)`
SELECT s.id, s.user_id, s.workspace_id, s.port, s.expires_at
FROM sessions s JOIN sessions parent ON parent.id = s.parent_id JOIN users u ON u.id = s.user_id
WHERE s.token_hash = ${"tokenHash"} AND s.kind = 'workspace' AND s.expires_at > clock_timestamp()
  AND parent.expires_at > clock_timestamp() AND u.disabled_at IS NULL AND NOT u.must_change_password
`;

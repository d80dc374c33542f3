import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** A session on a workspace's own origin; it never outlives the one it comes from. */
export const insertWorkspaceSession = statement<
  { tokenHash: Uint8Array; parentId: string; workspaceId: string; port: number | null; lifetimeMs: number },
  { id: string; user_id: string; workspace_id: string; port: number | null; expires_at: Ms }
>("insert-workspace-session", API_ROLE)`
INSERT INTO sessions (token_hash, kind, user_id, parent_id, workspace_id, port, expires_at)
SELECT ${"tokenHash"}, 'workspace', parent.user_id, parent.id, ${"workspaceId"}, ${"port"}::integer,
  least(parent.expires_at, clock_timestamp() + make_interval(secs => ${"lifetimeMs"}::double precision / 1000))
FROM sessions parent JOIN users u ON u.id = parent.user_id
WHERE parent.id = ${"parentId"} AND parent.expires_at > clock_timestamp() AND u.disabled_at IS NULL AND NOT u.must_change_password
RETURNING id, user_id, workspace_id, port, expires_at
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { PortShare } from "#core/requests/sharing.ts";

/** What is shared of these workspaces now. */
export const listShares = statement<{ workspaceIds: readonly string[] }, PortShare>("list-shares", API_ROLE)`
SELECT s.workspace_id AS "workspaceId", s.port, s.audience, s.expires_at AS "expiresAt", s.created_at AS "createdAt"
FROM port_shares s JOIN workspaces w ON w.id = s.workspace_id JOIN users u ON u.id = w.owner_id
WHERE s.workspace_id = ANY (${"workspaceIds"}::uuid[]) AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())
  AND w.deleted_at IS NULL AND u.disabled_at IS NULL
ORDER BY s.workspace_id, s.port
`;

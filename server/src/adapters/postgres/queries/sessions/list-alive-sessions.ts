import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Which of these sessions are still alive, also those of workspaces. While a new password is due none may do what these are asked about for. */
export const listAliveSessions = statement<{ ids: readonly string[] }, { id: string }>("list-alive-sessions", API_ROLE)`
SELECT s.id FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions parent ON parent.id = s.parent_id
WHERE s.id = ANY (${"ids"}::uuid[]) AND s.expires_at > clock_timestamp() AND u.disabled_at IS NULL AND NOT u.must_change_password
  AND (s.parent_id IS NULL OR parent.expires_at > clock_timestamp())
`;

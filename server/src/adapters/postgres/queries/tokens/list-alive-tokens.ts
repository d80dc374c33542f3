import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Which of these tokens are still alive. */
export const listAliveTokens = statement<{ ids: readonly string[] }, { id: string }>("list-alive-tokens", API_ROLE)`
SELECT t.id FROM api_tokens t JOIN users u ON u.id = t.user_id
WHERE t.id = ANY (${"ids"}::uuid[]) AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
  AND u.disabled_at IS NULL AND NOT u.must_change_password
`;

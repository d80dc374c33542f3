import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** The API tokens of a user. */
export const listTokens = statement<
  { userId: string },
  { id: string; name: string; created_at: Ms; last_used_at: Ms | null; expires_at: Ms | null }
>("list-tokens", API_ROLE)`
SELECT id, name, created_at, last_used_at, expires_at FROM api_tokens
WHERE user_id = ${"userId"} ORDER BY created_at, id
`;

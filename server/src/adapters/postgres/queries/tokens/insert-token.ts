import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** A new token, unless the user has as many as are allowed. The user's row is locked meanwhile. */
export const insertToken = statement<
  { id: string; userId: string; name: string; tokenHash: Uint8Array; lifetimeMs: number | null; limit: number },
  { id: string; name: string; created_at: Ms; last_used_at: Ms | null; expires_at: Ms | null }
>("insert-token", API_ROLE)`
INSERT INTO api_tokens (id, user_id, name, token_hash, expires_at)
SELECT ${"id"}, ${"userId"}, ${"name"}, ${"tokenHash"},
  clock_timestamp() + make_interval(secs => ${"lifetimeMs"}::double precision / 1000)
WHERE (SELECT count(*) FROM api_tokens WHERE user_id = ${"userId"}) < ${"limit"}::integer
RETURNING id, name, created_at, last_used_at, expires_at
`;

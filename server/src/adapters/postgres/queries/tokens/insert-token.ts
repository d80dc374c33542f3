import { API_ROLE } from "#adapters/postgres/roles.ts";
import { tokenColumns } from "#adapters/postgres/rows/token-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { TokenRecord } from "#ports/accounts.ts";

/** A new token, unless the user has as many as are allowed. The user's row is locked meanwhile. */
export const insertToken = statement<
  { id: string; userId: string; name: string; tokenHash: Uint8Array; lifetimeMs: number | null; limit: number },
  TokenRecord
>("insert-token", API_ROLE)`
INSERT INTO api_tokens AS t (id, user_id, name, token_hash, expires_at)
SELECT ${"id"}, ${"userId"}, ${"name"}, ${"tokenHash"},
  clock_timestamp() + make_interval(secs => ${"lifetimeMs"}::double precision / 1000)
WHERE (SELECT count(*) FROM api_tokens WHERE user_id = ${"userId"}) < ${"limit"}::integer
RETURNING ${tokenColumns}
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** The account behind a token, if both are alive. */
export const findToken = statement<{ tokenHash: Uint8Array }, Account & { tokenId: string; stale: boolean }>(
  "find-token",
  API_ROLE,
)`
SELECT ${accountColumns}, t.id AS "tokenId",
  t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute' AS stale
FROM api_tokens t JOIN users u ON u.id = t.user_id
WHERE t.token_hash = ${"tokenHash"} AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
  AND u.disabled_at IS NULL
`;

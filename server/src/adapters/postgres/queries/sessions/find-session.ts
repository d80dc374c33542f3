import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { Account } from "#ports/accounts.ts";

/** The session of a cookie, if it is alive. */
export const findSession = statement<{ tokenHash: Uint8Array }, Account & { sessionId: string; expiresAt: Ms }>(
  "find-session",
  API_ROLE,
)`
SELECT ${accountColumns}, s.id AS "sessionId", s.expires_at AS "expiresAt" FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.token_hash = ${"tokenHash"} AND s.kind = 'dashboard' AND s.expires_at > clock_timestamp()
  AND u.disabled_at IS NULL
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** When this account was last signed in to, with the password that it still has. */
export const noteLogin = statement<{ id: string; passwordHash: string }, Account>("note-login", API_ROLE)`
UPDATE users AS u SET last_login_at = clock_timestamp()
WHERE u.id = ${"id"} AND u.password_hash = ${"passwordHash"} AND u.disabled_at IS NULL
RETURNING ${accountColumns}
`;

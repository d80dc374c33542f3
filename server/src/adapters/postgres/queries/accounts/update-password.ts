import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** A new password, in the place of the one that was checked where one was. */
export const updatePassword = statement<
  { id: string; passwordHash: string; replaces: string | null; mustChangePassword: boolean },
  Account
>("update-password", API_ROLE)`
UPDATE users AS u SET password_hash = ${"passwordHash"}, must_change_password = ${"mustChangePassword"}
WHERE u.id = ${"id"} AND u.deleted_at IS NULL AND u.password_hash = COALESCE(${"replaces"}::text, u.password_hash)
RETURNING ${accountColumns}
`;

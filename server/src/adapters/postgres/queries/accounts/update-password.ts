import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** A new password. */
export const updatePassword = statement<{ id: string; passwordHash: string; mustChangePassword: boolean }, Account>(
  "update-password",
  API_ROLE,
)`
UPDATE users AS u SET password_hash = ${"passwordHash"}, must_change_password = ${"mustChangePassword"}
WHERE u.id = ${"id"}
RETURNING ${accountColumns}
`;

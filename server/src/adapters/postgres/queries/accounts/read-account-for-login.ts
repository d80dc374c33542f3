import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** An account with its hash, also a disabled one; one that was deleted is not there any more. */
export const readAccountForLogin = statement<{ username: string }, Account & { passwordHash: string }>(
  "read-account-for-login",
  API_ROLE,
)`
SELECT ${accountColumns}, u.password_hash AS "passwordHash" FROM users u 
WHERE u.username = ${"username"} AND u.deleted_at IS NULL
`;

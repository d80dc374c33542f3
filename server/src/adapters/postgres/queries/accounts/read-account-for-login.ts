import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type AccountRow, accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** An account with its hash, also a disabled one. */
export const readAccountForLogin = statement<{ username: string }, AccountRow & { password_hash: string }>(
  "read-account-for-login",
  API_ROLE,
)`
SELECT ${accountColumns}, u.password_hash FROM users u WHERE u.username = ${"username"}
`;

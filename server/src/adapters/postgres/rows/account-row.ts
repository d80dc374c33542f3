import { type Fragment, fragment } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { Account, Role } from "#ports/accounts.ts";

export interface AccountRow {
  id: string;
  username: string;
  role: Role;
  disabled_at: Ms | null;
  created_at: Ms;
  last_login_at: Ms | null;
  must_change_password: boolean;
}

/** The columns of the table that the statement calls `u`; the password's hash is never among them by accident. */
export const accountColumns: Fragment = fragment(
  "u.id, u.username, u.role, u.disabled_at, u.created_at, u.last_login_at, u.must_change_password",
);

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  username: row.username,
  role: row.role,
  disabledAt: row.disabled_at,
  createdAt: row.created_at,
  lastLoginAt: row.last_login_at,
  mustChangePassword: row.must_change_password,
});

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** A new account; no row when the name is taken. */
export const insertAccount = statement<
  { id: string; username: string; passwordHash: string; role: string; mustChangePassword: boolean },
  Account
>("insert-account", API_ROLE)`
INSERT INTO users AS u (id, username, password_hash, role, must_change_password)
VALUES (${"id"}, ${"username"}, ${"passwordHash"}, ${"role"}, ${"mustChangePassword"})
ON CONFLICT (username) DO NOTHING
RETURNING ${accountColumns}
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** Everybody. */
export const listAccounts = statement<Record<never, never>, Account>("list-accounts", API_ROLE)`
SELECT ${accountColumns} FROM users u ORDER BY u.username
`;

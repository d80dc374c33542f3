import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type AccountRow, accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Everybody. */
export const listAccounts = statement<Record<never, never>, AccountRow>("list-accounts", API_ROLE)`
SELECT ${accountColumns} FROM users u ORDER BY u.username
`;

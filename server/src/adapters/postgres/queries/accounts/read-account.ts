import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** One account that was not deleted. */
export const readAccount = statement<{ id: string }, Account>("read-account", API_ROLE)`
SELECT ${accountColumns} FROM users u WHERE u.id = ${"id"} AND u.deleted_at IS NULL
`;

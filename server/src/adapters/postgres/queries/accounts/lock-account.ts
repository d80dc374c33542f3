import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Account } from "#ports/accounts.ts";

/** One account that was not deleted, while nobody else changes it. */
export const lockAccount = statement<{ id: string }, Account>("lock-account", API_ROLE)`
SELECT ${accountColumns} FROM users u WHERE u.id = ${"id"} AND u.deleted_at IS NULL FOR UPDATE
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type AccountRow, accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One account, while nobody else changes it. */
export const lockAccount = statement<{ id: string }, AccountRow>("lock-account", API_ROLE)`
SELECT ${accountColumns} FROM users u WHERE u.id = ${"id"} FOR UPDATE
`;

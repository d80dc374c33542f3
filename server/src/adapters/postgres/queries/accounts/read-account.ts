import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type AccountRow, accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One account. */
export const readAccount = statement<{ id: string }, AccountRow>("read-account", API_ROLE)`
SELECT ${accountColumns} FROM users u WHERE u.id = ${"id"}
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type AccountRow, accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** When this account was last signed in to. */
export const noteLogin = statement<{ id: string }, AccountRow>("note-login", API_ROLE)`
UPDATE users AS u SET last_login_at = clock_timestamp() WHERE u.id = ${"id"} RETURNING ${accountColumns}
`;

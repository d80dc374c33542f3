import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** How many accounts there are. */
export const countAccounts = statement<Record<never, never>, { count: number }>("count-accounts", API_ROLE)`
SELECT count(*) AS count FROM users
`;

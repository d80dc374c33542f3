import { API_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** How many accounts there are. */
export const countAccounts: Statement<Record<never, never>, { count: number }> = statement<
  Record<never, never>,
  { count: number }
>("count-accounts", API_ROLE)`
SELECT count(*) AS count FROM users
`;

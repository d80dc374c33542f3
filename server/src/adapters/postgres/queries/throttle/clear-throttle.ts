import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type Statement, statement } from "#adapters/postgres/statement.ts";

/** Forgets a counter. */
export const clearThrottle: Statement<{ scope: string; subject: string }, Record<never, never>> = statement<{
  scope: string;
  subject: string;
}>("clear-throttle", API_ROLE)`
DELETE FROM login_throttle WHERE scope = ${"scope"} AND subject = ${"subject"}
`;

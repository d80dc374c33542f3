import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Forgets a counter. */
export const clearThrottle = statement<{
  scope: string;
  subject: string;
}>("clear-throttle", API_ROLE)`
DELETE FROM login_throttle WHERE scope = ${"scope"} AND subject = ${"subject"}
`;

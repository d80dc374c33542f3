import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One counter of failed sign-ins, while nobody else counts on it; it need not exist yet. */
export const lockThrottle = statement<{
  scope: string;
  subject: string;
}>("lock-throttle", API_ROLE)`
SELECT pg_advisory_xact_lock(hashtextextended(${"scope"} || ':' || ${"subject"}, 7201950))
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** One counter of failed sign-ins. */
export const readThrottle = statement<
  { scope: string; subject: string },
  { failures: number; first_failure_at: Ms; last_failure_at: Ms; blocked_until: Ms | null }
>("read-throttle", API_ROLE)`
SELECT failures, first_failure_at, last_failure_at, blocked_until FROM login_throttle
WHERE scope = ${"scope"} AND subject = ${"subject"}
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = {
  scope: string;
  subject: string;
  failures: number;
  firstFailureAt: Date;
  lastFailureAt: Date;
  blockedUntil: Date | null;
};

/** One counter of failed sign-ins. */
export const writeThrottle = statement<Params, Record<never, never>>("write-throttle", API_ROLE)`
INSERT INTO login_throttle (scope, subject, failures, first_failure_at, last_failure_at, blocked_until)
VALUES (${"scope"}, ${"subject"}, ${"failures"}, ${"firstFailureAt"}, ${"lastFailureAt"}, ${"blockedUntil"})
ON CONFLICT (scope, subject) DO UPDATE SET failures = excluded.failures,
  first_failure_at = excluded.first_failure_at, last_failure_at = excluded.last_failure_at,
  blocked_until = excluded.blocked_until
`;

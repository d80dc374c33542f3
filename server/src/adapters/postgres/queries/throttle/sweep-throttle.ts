import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Counters nobody has failed on for long. */
export const sweepThrottle = statement<{
  olderThanMs: number;
}>("sweep-throttle", API_ROLE)`
DELETE FROM login_throttle WHERE last_failure_at < now() - make_interval(secs => ${"olderThanMs"}::double precision / 1000)
`;

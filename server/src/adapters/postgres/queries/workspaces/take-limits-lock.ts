import { API_ROLE } from "#adapters/postgres/roles.ts";
import { type Statement, statement } from "#adapters/postgres/statement.ts";

/** Whoever may take a running slot counts and takes it while nobody else does; given back by the commit. */
export const takeLimitsLock: Statement<Record<never, never>, Record<never, never>> = statement<Record<never, never>>(
  "take-limits-lock",
  API_ROLE,
)`
SELECT pg_advisory_xact_lock(7201947)
`;

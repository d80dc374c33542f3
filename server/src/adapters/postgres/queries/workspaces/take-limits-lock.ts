import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Whoever may take a running slot counts and takes it while nobody else does; given back by the commit. */
export const takeLimitsLock = statement<Record<never, never>>("take-limits-lock", API_ROLE)`
SELECT pg_advisory_xact_lock(7201947)
`;

import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** The database's clock, which every process shares. */
export const readClock = statement<Record<never, never>, { now: Ms }>("read-clock", API_ROLE, COORDINATOR_ROLE)`
SELECT clock_timestamp()::timestamptz(3) AS now
`;

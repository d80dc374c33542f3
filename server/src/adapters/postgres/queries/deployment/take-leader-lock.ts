import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Leadership is this lock, held by a session for as long as it lives. Never asked for twice in a session: such locks stack. */
export const takeLeaderLock = statement<Record<never, never>, { taken: boolean }>("take-leader-lock", COORDINATOR_ROLE)`
SELECT pg_try_advisory_lock(7201948) AS taken
`;

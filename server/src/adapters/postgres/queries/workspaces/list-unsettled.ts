import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Rows that something is left to do for, those first that wait for nothing and were not looked at for longest. */
export const listUnsettled = statement<{ limit: number }, { id: string }>("list-unsettled", COORDINATOR_ROLE)`
SELECT id FROM workspaces WHERE NOT settled
ORDER BY next_attempt_at NULLS FIRST, observed_at NULLS FIRST, id
LIMIT ${"limit"}
`;

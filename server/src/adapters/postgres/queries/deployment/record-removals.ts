import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** So many objects were removed just now. */
export const recordRemovals = statement<{ removed: number }, Record<never, never>>("record-removals", COORDINATOR_ROLE)`
INSERT INTO gc_removals AS before (removed) VALUES (${"removed"})
ON CONFLICT (at) DO UPDATE SET removed = before.removed + excluded.removed
`;

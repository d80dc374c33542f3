import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Forgets removals of long ago. */
export const pruneRemovals = statement<Record<never, never>, Record<never, never>>("prune-removals", COORDINATOR_ROLE)`
DELETE FROM gc_removals WHERE at < now() - interval '7 days'
`;

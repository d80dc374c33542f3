import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Fences a transaction: no row means that there is a newer leader. Until the commit none can become one. */
export const lockEpoch = statement<{ epoch: number }, { epoch: number }>("lock-epoch", COORDINATOR_ROLE)`
SELECT epoch FROM leader WHERE epoch = ${"epoch"} FOR SHARE
`;

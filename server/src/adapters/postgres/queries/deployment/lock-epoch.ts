import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type Statement, statement } from "#adapters/postgres/statement.ts";

/** Fences a transaction: no row means that there is a newer leader. Until the commit none can become one. */
export const lockEpoch: Statement<{ epoch: number }, { epoch: number }> = statement<
  { epoch: number },
  { epoch: number }
>("lock-epoch", COORDINATOR_ROLE)`
SELECT epoch FROM leader WHERE epoch = ${"epoch"} FOR SHARE
`;

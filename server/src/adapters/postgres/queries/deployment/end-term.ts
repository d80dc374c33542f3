import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Nothing of this epoch acts any more. Said by the lock's own session, while it has the lock. */
export const endTerm = statement<{ epoch: number }>("end-term", COORDINATOR_ROLE)`
UPDATE leader SET ended_epoch = epoch WHERE epoch = ${"epoch"}
`;

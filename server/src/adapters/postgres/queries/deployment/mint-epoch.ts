import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** A new, higher epoch for a new leader. It waits for transactions of the old one to end, and ends its right to begin any. */
export const mintEpoch = statement<{ holder: string }, { epoch: number }>("mint-epoch", COORDINATOR_ROLE)`
UPDATE leader SET epoch = epoch + 1, holder = ${"holder"}, acquired_at = clock_timestamp() RETURNING epoch
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { ProcessIdentity } from "#core/rules/succession.ts";

/**
 * A new, higher epoch for a new leader, and what is on record of the one before. It waits for transactions of the old one
 * to end, and ends its right to begin any.
 */
export const mintEpoch = statement<
  { holder: string; process: string | null },
  { epoch: number; former_epoch: number; former_process: ProcessIdentity | null; begun: boolean; ended: boolean }
>("mint-epoch", COORDINATOR_ROLE)`
WITH former AS (SELECT * FROM leader FOR UPDATE)
UPDATE leader SET epoch = former.epoch + 1, holder = ${"holder"}, acquired_at = clock_timestamp(),
  process = ${"process"}, process_epoch = former.epoch + 1
FROM former
RETURNING leader.epoch, former.epoch AS former_epoch,
  CASE WHEN former.process_epoch = former.epoch THEN former.process END AS former_process,
  coalesce(former.begun_epoch = former.epoch, false) AS begun,
  coalesce(former.ended_epoch = former.epoch, false) AS ended
`;

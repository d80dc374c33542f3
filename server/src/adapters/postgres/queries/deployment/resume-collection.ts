import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** A person has looked: the store's generation is taken over, so that the same difference is not found again. */
export const resumeCollection = statement<{
  generation: number;
}>("resume-collection", COORDINATOR_ROLE)`
UPDATE deployment SET gc_quarantine_reason = NULL, gc_quarantined_at = NULL,
  gc_generation = greatest(gc_generation, ${"generation"}::bigint)
`;

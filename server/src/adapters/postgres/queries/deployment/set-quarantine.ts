import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Garbage collection and reaper rest from now on, or no longer. */
export const setQuarantine = statement<{
  reason: string | null;
}>("set-quarantine", COORDINATOR_ROLE)`
UPDATE deployment SET gc_quarantine_reason = ${"reason"}::text,
  gc_quarantined_at = CASE WHEN ${"reason"}::text IS NULL THEN NULL ELSE clock_timestamp() END
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** What the store held when it was last listed. */
export const recordListing = statement<{ listed: number; kept: string }, Record<never, never>>(
  "record-listing",
  COORDINATOR_ROLE,
)`
UPDATE deployment SET gc_last_run_at = now(), gc_listed = ${"listed"}, gc_kept = ${"kept"}::jsonb
`;

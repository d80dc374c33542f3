import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Takes marks away that still have the time at which they were read. */
export const deleteUnchangedMarks = statement<
  { keys: readonly string[]; times: readonly Date[] },
  Record<never, never>
>("delete-unchanged-marks", COORDINATOR_ROLE)`
DELETE FROM gc_marks USING unnest(${"keys"}::text[], ${"times"}::timestamptz[]) AS seen (key, marked_at)
WHERE gc_marks.key = seen.key AND gc_marks.marked_at = seen.marked_at
`;

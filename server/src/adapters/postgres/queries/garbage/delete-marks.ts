import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Takes marks away. */
export const deleteMarks = statement<{
  keys: readonly string[];
}>("delete-marks", COORDINATOR_ROLE)`
DELETE FROM gc_marks WHERE key = ANY (${"keys"}::text[])
`;

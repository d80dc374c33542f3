import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type Statement, statement } from "#adapters/postgres/statement.ts";

/** Takes marks away. */
export const deleteMarks: Statement<{ keys: readonly string[] }, Record<never, never>> = statement<{
  keys: readonly string[];
}>("delete-marks", COORDINATOR_ROLE)`
DELETE FROM gc_marks WHERE key = ANY (${"keys"}::text[])
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Marks objects; one that is marked already keeps its time. */
export const insertMarks = statement<{
  keys: readonly string[];
}>("insert-marks", COORDINATOR_ROLE)`
INSERT INTO gc_marks (key) SELECT unnest(${"keys"}::text[]) ON CONFLICT (key) DO NOTHING
`;

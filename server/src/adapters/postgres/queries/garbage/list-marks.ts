import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** Objects that nothing protected when they were seen. */
export const listMarks = statement<Record<never, never>, { key: string; marked_at: Ms }>(
  "list-marks",
  COORDINATOR_ROLE,
)`
SELECT key, marked_at FROM gc_marks
`;

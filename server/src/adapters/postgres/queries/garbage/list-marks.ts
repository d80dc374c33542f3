import type { Ms } from "#core/rows/workspace.ts";
import { COORDINATOR_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** Objects that nothing protected when they were seen. */
export const listMarks: Statement<Record<never, never>, { key: string; marked_at: Ms }> = statement<
  Record<never, never>,
  { key: string; marked_at: Ms }
>("list-marks", COORDINATOR_ROLE)`
SELECT key, marked_at FROM gc_marks
`;

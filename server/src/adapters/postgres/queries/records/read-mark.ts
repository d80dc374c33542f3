import type { Ms } from "#core/workspace.ts";
import { COORDINATOR_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** When this object was first seen unprotected. */
export const readMark: Statement<{ key: string }, { marked_at: Ms }> = statement<{ key: string }, { marked_at: Ms }>(
  "read-mark",
  COORDINATOR_ROLE,
)`
SELECT marked_at FROM gc_marks WHERE key = ${"key"} FOR UPDATE
`;

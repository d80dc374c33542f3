import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** When this object was first seen unprotected, and whether it was given up before. */
export const readMark = statement<{ key: string }, { marked_at: Ms; retry_at: Ms | null }>(
  "read-mark",
  COORDINATOR_ROLE,
)`
SELECT marked_at, retry_at FROM gc_marks WHERE key = ${"key"} FOR UPDATE
`;

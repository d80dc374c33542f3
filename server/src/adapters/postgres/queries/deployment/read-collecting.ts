import type { Ms } from "#core/workspace.ts";
import { API_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** What garbage collection is doing. */
export const readCollecting: Statement<
  Record<never, never>,
  { quarantine: string | null; gc_last_run_at: Ms | null }
> = statement<Record<never, never>, { quarantine: string | null; gc_last_run_at: Ms | null }>(
  "read-collecting",
  API_ROLE,
)`
SELECT gc_last_run_at,
  gc_quarantine_reason AS quarantine
FROM deployment
`;

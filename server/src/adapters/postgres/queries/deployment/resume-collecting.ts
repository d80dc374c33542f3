import { API_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** An administrator's word that collecting may go on. */
export const resumeCollecting: Statement<Record<never, never>, Record<never, never>> = statement<Record<never, never>>(
  "resume-collecting",
  API_ROLE,
)`
UPDATE deployment SET gc_resumed_at = clock_timestamp()
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Given up now; whoever removes the object takes the mark away. Else it is tried again later. */
export const postponeMark = statement<{ key: string; retryMs: number }, Record<never, never>>(
  "postpone-mark",
  COORDINATOR_ROLE,
)`
UPDATE gc_marks SET retry_at = now() + make_interval(secs => ${"retryMs"}::float8 / 1000) WHERE key = ${"key"}
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Marks what was let go of in this transaction; an earlier mark was about something else and begins anew. */
export const restartMarks = statement<{ keys: readonly string[]; urgent: boolean }, Record<never, never>>(
  "restart-marks",
  COORDINATOR_ROLE,
)`
INSERT INTO gc_marks (key, urgent) SELECT unnest(${"keys"}::text[]), ${"urgent"}::boolean
ON CONFLICT (key) DO UPDATE SET marked_at = now(), urgent = excluded.urgent, retry_at = NULL
`;

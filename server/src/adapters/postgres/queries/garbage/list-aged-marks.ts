import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Marked objects whose turn it is: what a person wants gone first, then the longest marked. */
export const listAgedMarks = statement<{ ageMs: number; limit: number }, { key: string }>(
  "list-aged-marks",
  COORDINATOR_ROLE,
)`
SELECT key FROM gc_marks
WHERE marked_at <= now() - make_interval(secs => ${"ageMs"}::float8 / 1000) AND (retry_at IS NULL OR retry_at <= now())
ORDER BY urgent DESC, marked_at LIMIT ${"limit"}
`;

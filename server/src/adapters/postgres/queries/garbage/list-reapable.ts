import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { volumeColumns } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { VolumeRecord } from "#core/rows/workspace.ts";

/** Retired volumes whose grace is over, oldest first. */
export const listReapable = statement<{ graceMs: number; limit: number }, VolumeRecord>(
  "list-reapable",
  COORDINATOR_ROLE,
)`
SELECT ${volumeColumns} FROM volumes v
WHERE v.state = 'retired' AND v.retired_at <= now() - make_interval(secs => ${"graceMs"}::double precision / 1000)
ORDER BY v.retired_at, v.name
LIMIT ${"limit"}
`;

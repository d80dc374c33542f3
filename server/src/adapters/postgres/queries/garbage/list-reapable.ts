import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import type { VolumeRow } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Retired volumes whose grace is over, oldest first. */
export const listReapable = statement<{ graceMs: number; limit: number }, VolumeRow>("list-reapable", COORDINATOR_ROLE)`
SELECT name, workspace_id, attempt, state, retired_at FROM volumes
WHERE state = 'retired' AND retired_at <= now() - make_interval(secs => ${"graceMs"}::double precision / 1000)
ORDER BY retired_at, name
LIMIT ${"limit"}
`;

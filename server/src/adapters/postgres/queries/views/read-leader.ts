import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** Who leads, if anybody holds the lock now. */
export const readLeader = statement<Record<never, never>, { holder: string; epoch: number; acquired_at: Ms }>(
  "read-leader",
  API_ROLE,
)`
SELECT holder, epoch, acquired_at FROM leader
WHERE holder IS NOT NULL AND EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = 7201948 AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
`;

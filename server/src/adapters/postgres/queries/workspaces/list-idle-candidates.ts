import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Workspaces that nobody has used for longer than their time, the idlest first. */
export const listIdleCandidates = statement<
  { standbyTtlSeconds: number; archiveTtlSeconds: number; limit: number },
  { id: string }
>("list-idle-candidates", API_ROLE)`
SELECT id
FROM workspaces,
  LATERAL (SELECT CASE phase
    WHEN 'RUNNING' THEN coalesce(standby_ttl_seconds, ${"standbyTtlSeconds"}::integer)
    ELSE coalesce(archive_ttl_seconds, ${"archiveTtlSeconds"}::integer) END AS ttl_seconds) AS effective,
  LATERAL (SELECT CASE phase
    WHEN 'RUNNING' THEN greatest(last_access_at, phase_changed_at, keep_awake_until)
    ELSE phase_changed_at END AS since) AS base
WHERE deleted_at IS NULL AND operation = 'NONE' AND phase = desired_state AND phase IN ('RUNNING', 'STANDBY')
  AND ttl_seconds > 0 AND since < now() - make_interval(secs => ttl_seconds)
ORDER BY since
LIMIT ${"limit"}
`;

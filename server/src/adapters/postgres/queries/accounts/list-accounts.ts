import { API_ROLE } from "#adapters/postgres/roles.ts";
import { accountColumns } from "#adapters/postgres/rows/account-row.ts";
import { inTrash } from "#adapters/postgres/rows/view-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { AccountOverview } from "#ports/accounts.ts";

/**
 * Everybody, with what they have and use; of those who were deleted, whoever left something that is still in the trash. Each table is gone through once: of few people it would be cheaper to ask for each
 * of them, of many it would not, and many are what takes long.
 */
export const listAccounts = statement<Record<never, never>, AccountOverview>("list-accounts", API_ROLE)`
WITH stored AS (
  SELECT a.workspace_id, sum(a.size_bytes) AS bytes,
    (array_agg(a.content_bytes ORDER BY a.created_at DESC))[1] AS newest
  FROM archives a WHERE a.state <> 'orphan' GROUP BY a.workspace_id
), had AS (
  SELECT w.owner_id, max(w.last_access_at) AS seen,
    count(*) FILTER (WHERE w.deleted_at IS NULL) AS workspaces,
    count(*) FILTER (WHERE w.holds_slot) AS running,
    count(*) FILTER (WHERE ${inTrash}) AS trash,
    sum(s.newest) FILTER (WHERE w.home_volume IS NOT NULL) AS homes,
    sum(s.bytes) AS archives
  FROM workspaces w LEFT JOIN stored s ON s.workspace_id = w.id GROUP BY w.owner_id
), signed_in AS (
  SELECT user_id, count(*) AS count FROM sessions
  WHERE kind = 'dashboard' AND expires_at > clock_timestamp() GROUP BY user_id
), scripted AS (
  SELECT user_id, count(*) FILTER (WHERE expires_at IS NULL OR expires_at > clock_timestamp()) AS count,
    max(last_used_at) AS seen
  FROM api_tokens GROUP BY user_id
)
SELECT ${accountColumns}, greatest(u.last_login_at, had.seen, scripted.seen) AS "lastSeenAt",
  coalesce(had.workspaces, 0) AS workspaces, coalesce(had.running, 0) AS running, coalesce(had.trash, 0) AS "inTrash",
  coalesce(had.homes, 0)::bigint AS "homeBytes", coalesce(had.archives, 0)::bigint AS "archiveBytes",
  coalesce(signed_in.count, 0) AS sessions, coalesce(scripted.count, 0) AS tokens
FROM users u LEFT JOIN had ON had.owner_id = u.id LEFT JOIN signed_in ON signed_in.user_id = u.id
  LEFT JOIN scripted ON scripted.user_id = u.id
WHERE u.deleted_at IS NULL OR had.trash > 0
ORDER BY u.username
`;

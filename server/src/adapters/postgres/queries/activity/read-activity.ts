import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The oldest first, so that nothing waits for ever behind busy workspaces. */
export const readActivity = statement<{ limit: number }, { workspaceId: string; at: number }>(
  "read-activity",
  API_ROLE,
)`
SELECT workspace_id AS "workspaceId", at FROM activity ORDER BY at, workspace_id LIMIT ${"limit"}
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Everybody who is in it, and every code that is on its way there. */
export const deleteSessionsOfWorkspace = statement<{ workspaceId: string }, Record<never, never>>(
  "delete-sessions-of-workspace",
  API_ROLE,
)`
WITH codes AS (DELETE FROM handover_codes WHERE workspace_id = ${"workspaceId"})
DELETE FROM sessions WHERE kind = 'workspace' AND workspace_id = ${"workspaceId"}
`;

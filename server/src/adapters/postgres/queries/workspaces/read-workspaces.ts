import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Several rows, in no order. */
export const readWorkspaces = statement<{ ids: readonly string[] }, WorkspaceRow>(
  "read-workspaces",
  API_ROLE,
  COORDINATOR_ROLE,
)`
SELECT ${workspaceColumns} FROM workspaces w WHERE w.id = ANY (${"ids"}::uuid[])
`;

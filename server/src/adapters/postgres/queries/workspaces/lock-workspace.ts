import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The row as it is once nobody else is changing it. History lines and records may still refer to it meanwhile. */
export const lockWorkspace = statement<{ id: string }, WorkspaceRow>("lock-workspace", API_ROLE, COORDINATOR_ROLE)`
SELECT ${workspaceColumns} FROM workspaces w WHERE w.id = ${"id"} FOR NO KEY UPDATE
`;

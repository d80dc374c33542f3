import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** One row. */
export const readWorkspace = statement<{ id: string }, WorkspaceRow>("read-workspace", API_ROLE, COORDINATOR_ROLE)`
SELECT ${workspaceColumns} FROM workspaces w WHERE w.id = ${"id"}
`;

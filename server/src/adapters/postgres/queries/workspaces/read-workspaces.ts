import { API_ROLE, COORDINATOR_ROLE } from "../../roles.ts";
import { type WorkspaceRow, workspaceColumns } from "../../rows/workspace-row.ts";
import { type Statement, statement } from "../../statement.ts";

/** Several rows, in no order. */
export const readWorkspaces: Statement<{ ids: readonly string[] }, WorkspaceRow> = statement<
  { ids: readonly string[] },
  WorkspaceRow
>("read-workspaces", API_ROLE, COORDINATOR_ROLE)`
SELECT ${workspaceColumns} FROM workspaces w WHERE w.id = ANY (${"ids"}::uuid[])
`;

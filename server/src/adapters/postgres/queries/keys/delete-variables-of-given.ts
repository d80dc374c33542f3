import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** What was kept for a workspace by whom it belonged to. */
export const deleteVariablesOfGiven = statement<{ workspaceId: string }>("delete-variables-of-given", API_ROLE)`
DELETE FROM variables WHERE workspace_id = ${"workspaceId"}
`;

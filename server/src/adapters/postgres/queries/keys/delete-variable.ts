import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deletes a variable of a user, or of one workspace. */
export const deleteVariable = statement<
  { userId: string; workspaceId: string | null; id: string },
  { name: string; isSecret: boolean }
>("delete-variable", API_ROLE)`
DELETE FROM variables
WHERE user_id = ${"userId"} AND workspace_id IS NOT DISTINCT FROM ${"workspaceId"}::uuid AND id = ${"id"}
RETURNING name, is_secret AS "isSecret"
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The variables that a workspace may get, sealed; its own come after its owner's, because they win. */
export const readOwnerVariables = statement<
  { userId: string; workspaceId: string },
  {
    id: string;
    workspaceId: string | null;
    name: string;
    isSecret: boolean;
    repositories: readonly string[] | null;
    keyId: string;
    wrapped: Uint8Array;
    box: Uint8Array;
  }
>("read-owner-variables", COORDINATOR_ROLE)`
SELECT id, workspace_id AS "workspaceId", name, is_secret AS "isSecret", repositories, key_id AS "keyId", wrapped, box
FROM variables
WHERE user_id = ${"userId"} AND (workspace_id IS NULL OR workspace_id = ${"workspaceId"})
ORDER BY workspace_id IS NOT NULL, name
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { VariableRecord } from "#ports/user-keys.ts";

type ListedVariable = Omit<VariableRecord, "canBeOpened"> & { readonly keyId: string };

/** The variables of a user, or of one workspace, without their values. */
export const listVariables = statement<{ userId: string; workspaceId: string | null }, ListedVariable>(
  "list-variables",
  API_ROLE,
)`
SELECT id, name, is_secret AS "isSecret", repositories, bytes, changed_at AS "changedAt", key_id AS "keyId"
FROM variables WHERE user_id = ${"userId"} AND workspace_id IS NOT DISTINCT FROM ${"workspaceId"}::uuid
ORDER BY name
`;

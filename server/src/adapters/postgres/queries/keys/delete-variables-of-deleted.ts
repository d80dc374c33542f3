import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deletes the variables of workspaces that are gone for good. */
export const deleteVariablesOfDeleted = statement<Record<never, never>>("delete-variables-of-deleted", API_ROLE)`
DELETE FROM variables v USING workspaces w WHERE w.id = v.workspace_id AND w.deleted_at IS NOT NULL AND (w.purge OR w.expired_at IS NOT NULL)
`;

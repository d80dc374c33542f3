import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Deleted users who still have a workspace that is not deleted: whoever deleted them was stopped half-way. */
export const listDeletedOwners = statement<Record<never, never>, { id: string }>("list-deleted-owners", API_ROLE)`
SELECT u.id FROM users u
WHERE u.deleted_at IS NOT NULL
  AND EXISTS (SELECT FROM workspaces w WHERE w.owner_id = u.id AND w.deleted_at IS NULL)
`;

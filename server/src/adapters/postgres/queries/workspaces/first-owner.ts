import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The owner of the oldest workspace that is not deleted. */
export const firstOwner = statement<Record<never, never>, { owner_id: string }>("first-owner", API_ROLE)`
SELECT owner_id FROM workspaces WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT 1
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/**
 * Somebody else's from now on. Their keys stay out of it until they say otherwise: what is in the home was put there by another. A request
 * like any other, so that whoever read the row before notices, and those who watch are told.
 */
export const giveWorkspace = statement<{ id: string; ownerId: string }>("give-workspace", API_ROLE)`
UPDATE workspaces SET owner_id = ${"ownerId"}, keys_allowed = false, keep_awake_until = NULL,
  desired_version = desired_version + 1
WHERE id = ${"id"}
`;

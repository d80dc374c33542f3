import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Who has this repository open already. */
export const listOfSource = statement<{ ownerId: string; key: string }, { id: string; name: string }>(
  "list-of-source",
  API_ROLE,
)`
SELECT id, name FROM workspaces
WHERE owner_id = ${"ownerId"} AND source IS NOT NULL AND deleted_at IS NULL AND source ->> 'key' = ${"key"}
ORDER BY last_access_at DESC LIMIT 10
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Only what still has the time that was read; what rose since then stays. */
export const removeActivity = statement<{ ids: readonly string[]; times: readonly number[] }>(
  "remove-activity",
  API_ROLE,
)`
DELETE FROM activity USING unnest(${"ids"}::text[], ${"times"}::bigint[]) AS given (id, at)
WHERE activity.workspace_id = given.id AND activity.at = given.at
`;

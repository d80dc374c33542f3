import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** What is over and told, or was never told. */
export const deleteNotices = statement<{ channel: string; keys: readonly string[] }>(
  "delete-notices",
  COORDINATOR_ROLE,
)`
DELETE FROM notices WHERE channel = ${"channel"} AND key = ANY(${"keys"})
`;

import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Running slots in use, without the workspace that asks. */
export const countSlots = statement<{ ownerId: string; id: string }, { of_owner: number; global: number }>(
  "count-slots",
  API_ROLE,
)`
SELECT count(*) FILTER (WHERE owner_id = ${"ownerId"}) AS of_owner, count(*) AS global
FROM workspaces WHERE holds_slot AND id <> ${"id"}
`;

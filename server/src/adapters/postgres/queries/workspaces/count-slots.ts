import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Slots } from "#core/requests/limits.ts";

/** Running slots in use, without the workspace that asks, and how many the owner may have. */
export const countSlots = statement<{ ownerId: string; id: string }, Slots>("count-slots", API_ROLE)`
SELECT count(*) FILTER (WHERE owner_id = ${"ownerId"}) AS "ofOwner", count(*) AS global,
  (SELECT max_running FROM users WHERE id = ${"ownerId"}) AS "mostOfOwner"
FROM workspaces WHERE holds_slot AND id <> ${"id"}
`;

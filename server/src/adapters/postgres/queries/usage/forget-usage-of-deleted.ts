import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { fragment, statement } from "#adapters/postgres/statement.ts";

const gone = fragment("w.deleted_at IS NOT NULL AND (w.purge OR w.expired_at IS NOT NULL)");

/** Of workspaces that are gone for good nothing stays, here in the one table and below in the other. */
export const forgetMinutesOfDeleted = statement<Record<never, never>>("forget-minutes-of-deleted", COORDINATOR_ROLE)`
DELETE FROM usage_minutes m USING workspaces w WHERE w.id = m.workspace_id AND ${gone}
`;
export const forgetHoursOfDeleted = statement<Record<never, never>>("forget-hours-of-deleted", COORDINATOR_ROLE)`
DELETE FROM usage_hours h USING workspaces w WHERE w.id = h.workspace_id AND ${gone}
`;

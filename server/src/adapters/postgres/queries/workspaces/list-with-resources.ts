import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { type WorkspaceRow, workspaceColumns } from "#adapters/postgres/rows/workspace-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Rows that should have something on the engine, or had a container there when it was last looked at. */
export const listWithResources = statement<Record<never, never>, WorkspaceRow>("list-with-resources", COORDINATOR_ROLE)`
SELECT ${workspaceColumns} FROM workspaces w WHERE w.home_volume IS NOT NULL OR w.endpoint IS NOT NULL
  OR (w.holds_slot AND (w.conditions -> 'infra.container_present' ->> 'status')::boolean)
`;

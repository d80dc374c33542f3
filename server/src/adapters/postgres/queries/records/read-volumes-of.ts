import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import type { VolumeRow } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Every volume a workspace ever had, so that no name is used twice. */
export const readVolumesOf = statement<{ workspaceId: string }, VolumeRow>("read-volumes-of", COORDINATOR_ROLE)`
SELECT name, workspace_id, attempt, state, retired_at FROM volumes
WHERE workspace_id = ${"workspaceId"} ORDER BY created_at, name
`;

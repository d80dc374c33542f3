import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { volumeColumns } from "#adapters/postgres/rows/archive-row.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { VolumeRecord } from "#core/rows/workspace.ts";

/** Every volume a workspace ever had, so that no name is used twice. */
export const readVolumesOf = statement<{ workspaceId: string }, VolumeRecord>("read-volumes-of", COORDINATOR_ROLE)`
SELECT ${volumeColumns} FROM volumes v WHERE v.workspace_id = ${"workspaceId"} ORDER BY v.created_at, v.name
`;

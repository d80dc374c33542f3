import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Inserts a volume or moves it to another state. */
export const upsertVolume = statement<{
  name: string;
  workspaceId: string;
  attempt: string;
  state: string;
  retiredAt: Date | null;
}>("upsert-volume", COORDINATOR_ROLE)`
INSERT INTO volumes (name, workspace_id, attempt, state, retired_at)
VALUES (${"name"}, ${"workspaceId"}, ${"attempt"}, ${"state"}, ${"retiredAt"})
ON CONFLICT (name) DO UPDATE SET state = excluded.state, retired_at = excluded.retired_at
`;

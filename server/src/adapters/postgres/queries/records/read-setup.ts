import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { ReadSetup } from "#core/setup/devcontainer.ts";

type Row = { version: number; log: string; plan: ReadSetup | null; allowed: boolean };

/** What is kept of getting the repository, and whether its owner has agreed to the commands in it. */
export const readSetup = statement<{ id: string }, Row>("read-setup", API_ROLE, COORDINATOR_ROLE)`
SELECT s.version, s.log, s.plan, EXISTS (
  SELECT FROM allowed_commands a
  WHERE a.user_id = w.owner_id AND a.repository = w.source ->> 'key' AND a.digest = s.plan #>> '{plan,digest}'
) AS allowed
FROM setup_logs s JOIN workspaces w ON w.id = s.workspace_id
WHERE s.workspace_id = ${"id"}
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = { id: string; version: number; log: string; plan: string | null };

/** One for each workspace: the last one is what a person wants to read. */
export const saveSetup = statement<Params, Record<never, never>>("save-setup", COORDINATOR_ROLE)`
INSERT INTO setup_logs (workspace_id, version, log, plan) VALUES (${"id"}, ${"version"}, ${"log"}, ${"plan"}::jsonb)
ON CONFLICT (workspace_id) DO UPDATE SET
  version = excluded.version, log = excluded.log, plan = excluded.plan, updated_at = clock_timestamp()
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** What the leader sees of a part; since moves only with the status. */
export const saveComponent = statement<{ name: string; status: string; detail: string }>(
  "save-component",
  COORDINATOR_ROLE,
)`
INSERT INTO component_health AS seen (name, status, detail) VALUES (${"name"}, ${"status"}, ${"detail"})
ON CONFLICT (name) DO UPDATE SET
  status = excluded.status, detail = excluded.detail, updated_at = clock_timestamp(),
  since = CASE WHEN seen.status = excluded.status THEN seen.since ELSE clock_timestamp() END
`;

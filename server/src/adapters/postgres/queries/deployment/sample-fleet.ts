import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** The fleet as it is now. */
export const sampleFleet = statement<Record<never, never>>("sample-fleet", COORDINATOR_ROLE)`
INSERT INTO fleet_samples (at, counts)
SELECT clock_timestamp(), coalesce(jsonb_object_agg(phase, count), '{}')
FROM (SELECT phase, count(*) AS count FROM workspaces GROUP BY phase) AS phases
ON CONFLICT (at) DO NOTHING
`;

import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Forgets what the fleet was like long ago. */
export const pruneFleetSamples = statement<Record<never, never>>("prune-fleet-samples", COORDINATOR_ROLE)`
DELETE FROM fleet_samples WHERE at < now() - interval '7 days'
`;

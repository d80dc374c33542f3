import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms, Phase } from "#core/rows/workspace.ts";

/** The fleet over the last day. */
export const listFleetSamples = statement<Record<never, never>, { at: Ms; counts: Partial<Record<Phase, number>> }>(
  "list-fleet-samples",
  API_ROLE,
)`
SELECT at, counts FROM fleet_samples WHERE at > now() - interval '24 hours' ORDER BY at
`;

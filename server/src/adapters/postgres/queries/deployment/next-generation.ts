import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Counts on, so that an older copy of the database is recognised. */
export const nextGeneration = statement<Record<never, never>, { gc_generation: number }>(
  "next-generation",
  COORDINATOR_ROLE,
)`
UPDATE deployment SET gc_generation = gc_generation + 1 RETURNING gc_generation
`;

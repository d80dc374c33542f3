import { COORDINATOR_ROLE } from "../../roles.ts";
import { type Statement, statement } from "../../statement.ts";

/** Counts one more garbage collection. */
export const nextGeneration: Statement<Record<never, never>, { gc_generation: number }> = statement<
  Record<never, never>,
  { gc_generation: number }
>("next-generation", COORDINATOR_ROLE)`
UPDATE deployment SET gc_generation = gc_generation + 1, gc_last_run_at = now() RETURNING gc_generation
`;

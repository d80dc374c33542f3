import type { ProcessIdentity, Sighting } from "#core/rules/succession.ts";

/** What this machine can testify about processes. */
export interface ProcessWitness {
  /** This process; null where the system does not tell all of it. */
  readonly self: () => Promise<ProcessIdentity | null>;
  /** Who has this process number here and now. Rejects when it cannot be told. */
  readonly look: (pid: number) => Promise<Sighting>;
}

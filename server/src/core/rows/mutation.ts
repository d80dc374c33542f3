import type { ArchiveRecord, Ms, VerdictColumns, VolumeRecord, Workspace } from "./workspace.ts";

/** What the coordinator may read in the transaction it writes in. `now` is the database's clock. */
export interface Facts {
  readonly row: Workspace;
  readonly archives: readonly ArchiveRecord[];
  readonly volumes: readonly VolumeRecord[];
  readonly now: Ms;
}

/** One line of the workspace's history: who did what, from where to where, and why: a code, and in the details its fields. */
export interface EventLine {
  readonly actor: string;
  readonly kind: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A decision, as data: what one transaction changes. Pure functions make it from the facts read in that same
 * transaction, the store applies it; so the rules are the same over PostgreSQL and in the simulation.
 */
export interface Mutation {
  readonly patch: Partial<VerdictColumns>;
  /** Inserted or replaced by name. */
  readonly volumes?: readonly VolumeRecord[];
  /** Inserted or replaced by key. */
  readonly archives?: readonly ArchiveRecord[];
  /** Objects that this decision lets go of: their age for garbage collection begins now. */
  readonly marks?: { readonly keys: readonly string[]; readonly urgent: boolean };
  readonly events?: readonly EventLine[];
}

/** Null: the facts are not what the caller thought, nothing is written. */
export type Decide = (facts: Facts) => Mutation | null;

import type { Ms } from "#core/rows/workspace.ts";
import type { FormerTerm } from "#core/rules/succession.ts";
import type { LeaderStore } from "./store.ts";

/** Leadership by a session lock in the database. Taken once per session; losing the session is losing the term. */
export interface Election {
  /**
   * Opens a session and tries to take the lock once. Resolves to null when somebody else holds it (or the database
   * cannot be reached: that is logged and is not an error). On success a new, higher epoch is minted and committed.
   */
  readonly campaign: (signal: AbortSignal) => Promise<Term | null>;
}

export interface Term {
  readonly epoch: number;
  /** Writes that only succeed while this epoch is the newest. */
  readonly store: LeaderStore;
  /** Aborts when the session is known to be lost. */
  readonly lost: AbortSignal;
  /**
   * One round trip on the lock's own session, which brings the database's time. Rejects when the session is gone or does
   * not answer in time.
   */
  readonly ping: () => Promise<Ms>;
  /** Who led before, as it was on record when this epoch was minted. */
  readonly former: FormerTerm;
  /**
   * Puts on record that this term may act, which means that nobody before it can any more. Rejects when there is a newer
   * leader, or when it cannot be told whether there is.
   */
  readonly begin: () => Promise<void>;
  /** Puts on record that nothing of this term acts any more. Said only when that is so. */
  readonly end: () => Promise<void>;
  /** Closes the session, which frees the lock. Never rejects. */
  readonly release: () => Promise<void>;
}

import type { Logger } from "#ports/logger.ts";
import type { LeaderStore } from "#ports/store.ts";
import type { World } from "#ports/world.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { CoordinatorDeps } from "./deps.ts";
import type { Lease } from "./lease.ts";
import type { Trust } from "./trust.ts";

/** What every part of one leadership shares. It is thrown away whole when the term ends. */
export interface TermContext {
  readonly deps: CoordinatorDeps;
  readonly store: LeaderStore;
  /** The fenced world: its changing calls check the lease. */
  readonly world: World;
  readonly lease: Lease;
  /** What time it is for the rows. */
  readonly databaseClock: DatabaseClock;
  readonly logger: Logger;
  /** Aborts when the term is over, for whatever reason. */
  readonly signal: AbortSignal;
  /** Ends the term: called by whoever learns that it is over. */
  readonly end: (why: string) => void;
  /** Whether engine and store are the ones this deployment was bound to. */
  readonly trust: Trust;
}

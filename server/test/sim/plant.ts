import type { CoordinatorDeps, Decisions } from "#coordinator/deps.ts";
import type { Cluster, EngineKind } from "./cluster.ts";
import type { UserRules } from "./users.ts";

/**
 * A bug on purpose: one rule, one port or one fake behaves as the hole it is named after. The production code has no
 * such switches; everything is replaced from outside.
 */
export interface Plant {
  readonly name: string;
  readonly what: string;
  /** Any of these must be reported. */
  readonly caughtBy: readonly string[];
  /** Where it can be met; a single machine when it does not matter. */
  readonly engine?: EngineKind;
  readonly decisions?: (cluster: Cluster) => Partial<Decisions>;
  readonly deps?: (deps: CoordinatorDeps, cluster: Cluster) => CoordinatorDeps;
  readonly rules?: Partial<UserRules>;
  /** Whether writes of deposed leaders are let through. */
  readonly unfenced?: boolean;
  readonly prepare?: (cluster: Cluster) => void;
}

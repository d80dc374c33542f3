import type { Facts, Mutation } from "#core/rows/mutation.ts";
import type { Observation } from "#core/rows/observation.ts";
import type { Ms, OperationName, Workspace } from "#core/rows/workspace.ts";
import type { Plan } from "./plan.ts";
import type { ClaimInput } from "./transitions.ts";

export interface PassInput {
  readonly observation: Observation;
  readonly rowVersion: number;
  /** A fresh id for the attempt, should one be claimed. */
  readonly attempt: string;
  readonly epoch: number;
  /** Whether there is room to drive this operation now. */
  readonly hasRoom: (operation: OperationName) => boolean;
}

export interface PassRules {
  readonly observe: (facts: Facts, observation: Observation, rowVersion: number) => Mutation | null;
  readonly plan: (row: Workspace, now: Ms) => Plan;
  readonly claim: (facts: Facts, input: ClaimInput) => Mutation | null;
}

/**
 * Judge, plan and claim in one transaction: what was seen is recorded, and the step it calls for is claimed from
 * exactly that row, by the database's clock. Nothing can come between the plan and its claim.
 */
export function pass(facts: Facts, input: PassInput, rules: PassRules): Mutation | null {
  if (facts.row.rowVersion !== input.rowVersion) return null;
  const seen = rules.observe(facts, input.observation, input.rowVersion);
  const row = { ...facts.row, ...seen?.patch };
  const next = rules.plan(row, facts.now);
  if (next.kind !== "operate" || !input.hasRoom(next.operation)) return seen;
  const { operation, why } = next;
  const { rowVersion, attempt: opId, epoch } = input;
  const claimed = rules.claim({ ...facts, row }, { rowVersion, operation, opId, epoch, why });
  if (claimed === null) return seen;
  return {
    patch: { ...seen?.patch, ...claimed.patch },
    volumes: [...(seen?.volumes ?? []), ...(claimed.volumes ?? [])],
    archives: [...(seen?.archives ?? []), ...(claimed.archives ?? [])],
    events: [...(seen?.events ?? []), ...(claimed.events ?? [])],
  };
}

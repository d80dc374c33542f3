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

export interface Passed {
  readonly plan: Plan;
  /** Null: there is nothing to write. */
  readonly mutation: Mutation | null;
}

/**
 * The plan for a row about which nothing new was seen and for which nothing can be begun. Null: there is something to
 * write, and the transaction that writes it plans for itself.
 */
export function planAtRest(row: Workspace, now: Ms, input: PassInput, rules: PassRules): Plan | null {
  const seen = rules.observe({ row, archives: [], volumes: [], now }, input.observation, input.rowVersion);
  if (seen !== null) return null;
  const next = rules.plan(row, now);
  return canBegin(next, input) ? null : next;
}

/**
 * Judge, plan and claim in one transaction: what was seen is recorded, and the step it calls for is claimed from
 * exactly that row, by the database's clock. Nothing can come between the plan and its claim. Null: the row moved.
 */
export function pass(facts: Facts, input: PassInput, rules: PassRules): Passed | null {
  if (facts.row.rowVersion !== input.rowVersion) return null;
  const seen = rules.observe(facts, input.observation, input.rowVersion);
  const row = { ...facts.row, ...seen?.patch };
  const plan = rules.plan(row, facts.now);
  if (!canBegin(plan, input)) return { plan, mutation: seen };
  const { operation, why } = plan;
  const { rowVersion, attempt: opId, epoch } = input;
  const claimed = rules.claim({ ...facts, row }, { rowVersion, operation, opId, epoch, why });
  return { plan, mutation: claimed === null ? seen : together(seen, claimed) };
}

const canBegin = (plan: Plan, { hasRoom }: PassInput): plan is Extract<Plan, { kind: "operate" }> =>
  plan.kind === "operate" && hasRoom(plan.operation);

function together(seen: Mutation | null, claimed: Mutation): Mutation {
  return {
    patch: { ...seen?.patch, ...claimed.patch },
    volumes: [...(seen?.volumes ?? []), ...(claimed.volumes ?? [])],
    archives: [...(seen?.archives ?? []), ...(claimed.archives ?? [])],
    events: [...(seen?.events ?? []), ...(claimed.events ?? [])],
  };
}

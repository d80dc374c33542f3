import type { Listed } from "@codehub/contract";

const holding: ReadonlySet<string> = new Set(["STARTING", "STOPPING"] satisfies Listed["operation"][]);

/** How many hold one of the places that a person has: what runs, what is asked to, and what has not stopped yet. */
export function held(workspaces: Iterable<Pick<Listed, "phase" | "desired_state" | "operation">>): number {
  let count = 0;
  for (const { phase, desired_state: wanted, operation } of workspaces)
    if (wanted === "RUNNING" || phase === "RUNNING" || holding.has(operation)) count += 1;
  return count;
}

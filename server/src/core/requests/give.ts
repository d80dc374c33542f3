import { tri } from "#core/rows/condition.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { holdsSlot } from "./limits.ts";

type Resting = Pick<Workspace, "operation" | "endpoint" | "homeVolume" | "conditions" | "desiredState" | "deletedAt">;

/**
 * Whether a workspace can get another owner now. What runs was started with its owner's keys and secrets, so nothing may run, be
 * started or be there unseen: only a home at rest changes hands.
 */
export function isAtRest(row: Resting): boolean {
  if (row.operation !== "NONE" || row.endpoint !== null || holdsSlot(row)) return false;
  return row.homeVolume === null || tri(row.conditions, "infra.container_present") === "false";
}
